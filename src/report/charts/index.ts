/** The charts of a report. The build puts d3 into this one module, so everything outside of charts/ imports it. */
export { type ColumnChartData, columnChart } from './column-chart.ts';
export { chartRows, type DateData, dateChart, datePlaceInWords } from './date-chart.ts';
export { type FolderData, folderChart, folderPath } from './folder-chart.ts';
export { type RowChartData, rowChart, rowChartRows } from './row-chart.ts';
export { clipped, escaped, untrusted } from './text.ts';
