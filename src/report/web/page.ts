/**
 * What the report's script adds to its HTML: search, drilling, permalinks, an export. Everything is readable without.
 */
import { offerExport } from './csv-export.ts';
import { offerDrilling } from './drill.ts';
import { watchAddress } from './permalinks.ts';
import { openForPrint } from './print.ts';
import { offerSearch } from './search.ts';

document.documentElement.classList.add('script');
const places = [...offerSearch(), ...offerDrilling()];
offerExport();
openForPrint();
watchAddress(new Map(places));
