// Package compare turns sets of results into statistics: summaries of one
// case, differences between two, trends over the order of runs, and one
// verdict per axis with an interval.
//
// Its opinion: figures of a network test are skewed, have outliers and are
// few, so nothing assumes a normal distribution. The centre is the median;
// differences are Hodges-Lehmann shifts; intervals come from the exact
// distributions of the rank statistics, and the confidence reported is the
// one really reached. A difference is only called one when its test says so
// after Holm's correction for the number of axes looked at.
//
// It knows neither how results were made nor how they are shown.
package compare
