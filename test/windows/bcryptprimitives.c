/*
 * The Go runtime asks ProcessPrng of bcryptprimitives.dll for its random seed,
 * and Debian's Wine 8 has no such library. This one passes the request on to
 * SystemFunction036 (RtlGenRandom) of advapi32.dll, which Wine does have.
 * It serves the tests under Wine only.
 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
	while (length > 0) {
		ULONG part = length > 0x40000000 ? 0x40000000 : (ULONG)length;
		if (!SystemFunction036(buffer, part))
			return FALSE;
		buffer += part;
		length -= part;
	}
	return TRUE;
}
