/** Pages by folder: a chart of the folders of one folder. */
import { count } from '../../problems/wording.ts';
import type { ChartRow, RowChartData } from './row-chart.ts';

/** A folder in the report: `[name, pages, direct, other, folders]`. */
export type FolderData = readonly [
  name: string,
  pages: number,
  direct: number,
  other: number,
  folders: readonly FolderData[],
];

/** The folder at a place: the numbers of folders on the way down, with dots. Undefined where there is none. */
function folderAt(data: FolderData, place: string): FolderData | undefined {
  if (place === '') return data;
  let folder: FolderData | undefined = data;
  for (const number of place.split('.')) folder = folder?.[4][Number(number)];
  return folder;
}

/** The path of the folder at a place. */
export function folderPath(data: FolderData, place: string): string {
  let path = '/';
  let folder: FolderData | undefined = data;
  for (const number of place === '' ? [] : place.split('.')) {
    folder = folder?.[4][Number(number)];
    const name = folder?.[0] ?? '';
    path = name.includes('://') ? `${name}/` : `${path}${name}/`;
  }
  return path;
}

/** The chart of a place. */
export function folderChart(data: FolderData, place: string): RowChartData | undefined {
  const folder = folderAt(data, place);
  if (folder === undefined) return undefined;
  const [, , direct, other, folders] = folder;
  const path = folderPath(data, place);
  const rows: ChartRow[] = folders.map(([name, pages, , , below], index) => {
    const shown = name.includes('://') ? name : `${path}${name}/`;
    const key = below.length > 0 ? (place === '' ? String(index) : `${place}.${index}`) : undefined;
    return { name: shown, values: [pages], title: `${shown}: ${count(pages, 'page')}`, key };
  });
  if (direct > 0) {
    const name = folders.length === 0 && other === 0 ? path : `directly in ${path}`;
    rows.push({ name, values: [direct], title: `${name}: ${count(direct, 'page')}` });
  }
  rows.sort((a, b) => b.values[0]! - a.values[0]!);
  if (other > 0)
    rows.push({ name: 'other folders', values: [other], title: `other folders: ${count(other, 'page')}` });
  return { title: `Pages by folder of ${path}, ${rows.length} rows`, parts: ['data'], rows };
}
