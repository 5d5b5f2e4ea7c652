/**
 * The characters that references name: those of XML, the 252 names of HTML 4, and the signs of ASCII and the letters of
 * European languages that HTML names since, which are the ones that programs write into feeds and sitemaps. HTML has
 * 1,700 more, for formulas; their table would be a quarter of a parser that is loaded by a browser.
 */

// Letters that are written with a mark, such as `Eacute` and `eacute`: the code of the mark, its name, the letters.
const MARKED =
  '768 grave AEIOU;769 acute ACEILNORSUYZ;770 circ ACEGHIJOSUWY;771 tilde AINOU;772 macr AEIOU;774 breve AGU;775 ' +
  'dot CEGIZ;776 uml AEIOUY;778 ring AU;779 dblac OU;780 caron CDELNRSTZ;807 cedil CKLNRST;808 ogon AEIU';

// Runs of capital letters, whose small ones have the same names in small letters: the code of the first, and all names.
const LETTERS =
  '198 AElig;208 ETH;216 Oslash;222 THORN;272 Dstrok;294 Hstrok;306 IJlig;319 Lmidot;321 Lstrok;330 ENG;338 ' +
  'OElig;358 Tstrok;913 Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho;931 ' +
  'Sigma Tau Upsilon Phi Chi Psi Omega;1040 Acy Bcy Vcy Gcy Dcy IEcy ZHcy Zcy Icy Jcy Kcy Lcy Mcy Ncy Ocy Pcy Rcy ' +
  'Scy Tcy Ucy Fcy KHcy TScy CHcy SHcy SHCHcy HARDcy Ycy SOFTcy Ecy YUcy YAcy';

// Runs of other characters.
const RUNS =
  '33 excl quot num dollar percnt amp apos lpar rpar ast plus comma;46 period sol;58 colon semi lt equals gt quest ' +
  'commat;91 lsqb bsol rsqb;95 lowbar grave;123 lcub verbar rcub;160 nbsp iexcl cent pound curren yen brvbar sect ' +
  'uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 ' +
  'frac12 frac34 iquest;215 times;223 szlig;247 divide;290 Gcedil;305 imath;312 kgreen;329 napos;402 fnof;710 ' +
  'circ;732 tilde;962 sigmaf;977 thetasym upsih;982 piv;8194 ensp emsp;8201 thinsp;8204 zwnj zwj lrm rlm;8211 ndash ' +
  'mdash;8216 lsquo rsquo sbquo;8220 ldquo rdquo bdquo;8224 dagger Dagger bull;8230 hellip;8240 permil;8242 prime ' +
  'Prime;8249 lsaquo rsaquo;8254 oline;8260 frasl;8364 euro;8465 image;8472 weierp;8476 real;8482 trade;8501 ' +
  'alefsym;8592 larr uarr rarr darr harr;8629 crarr;8656 lArr uArr rArr dArr hArr;8704 forall;8706 part exist;8709 ' +
  'empty;8711 nabla isin notin;8715 ni;8719 prod;8721 sum minus;8727 lowast;8730 radic;8733 prop infin;8736 ' +
  'ang;8743 and or cap cup int;8756 there4;8764 sim;8773 cong;8776 asymp;8800 ne equiv;8804 le ge;8834 sub sup ' +
  'nsub;8838 sube supe;8853 oplus;8855 otimes;8869 perp;8901 sdot;8968 lceil rceil lfloor rfloor;9674 loz;9824 ' +
  'spades;9827 clubs;9829 hearts diams;10216 lang rang';

let namedEntities: ReadonlyMap<string, string> | undefined;

export function namedCharacters(): ReadonlyMap<string, string> {
  namedEntities ??= readNames();
  return namedEntities;
}

function readNames(): ReadonlyMap<string, string> {
  const entities = new Map<string, string>();
  for (const [mark, name, letters = ''] of rowsOf(MARKED)) {
    for (const letter of letters + letters.toLowerCase()) {
      const character = (letter + String.fromCodePoint(Number(mark))).normalize();
      // There is no `i` with a dot of its own.
      if (character.length === 1) entities.set(letter + name, character);
    }
  }
  for (const [first, ...names] of rowsOf(LETTERS)) {
    for (const [index, name] of names.entries()) {
      const capital = String.fromCodePoint(Number(first) + index);
      entities.set(name, capital).set(name.toLowerCase(), capital.toLowerCase());
    }
  }
  for (const [first, ...names] of rowsOf(RUNS)) {
    for (const [index, name] of names.entries())
      entities.set(name, String.fromCodePoint(Number(first) + index));
  }
  return entities;
}

function rowsOf(table: string): string[][] {
  return table.split(';').map((row) => row.split(' '));
}

/** What Windows has at 128 to 159, where Unicode has controls that no text means; HTML reads references so, too. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** The character with a number, as HTML reads it. Half of a pair stays what it is: the other one may follow. */
export function numberedCharacter(code: number): string {
  if (code >= 0x80 && code < 0xa0) return WINDOWS[code - 0x80]!;
  return code === 0 || code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code);
}
