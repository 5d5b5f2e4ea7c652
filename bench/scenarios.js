/**
 * What is measured. A scenario names the data it works on (see generate.js) and who takes part, ours first; each
 * contestant has a function of the scenario's name.
 */
export const SCENARIOS = [
  {
    name: 'parse',
    title: 'parse: 4 × 50,000 URLs in memory; url, date, priority and frequency of each page read',
    contestants: {
      ours: () => import('./contestants/ours.js'),
      saxes: () => import('./contestants/saxes.js'),
      'sitemap.js': () => import('./contestants/sitemap-js.js'),
    },
  },
];
