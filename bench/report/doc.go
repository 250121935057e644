// Package report renders what a run measured: report.md for people and agents,
// result.json for machines, requests.csv for a spreadsheet, and charts. A
// rendering is a function of the run's record and its folder alone, so that it
// can be made again to the same bytes.
package report
