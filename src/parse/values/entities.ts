/**
 * The characters that references name: those of XML, the 252 names of HTML 4, and the signs of ASCII and the letters of
 * European languages that HTML names since, which are the ones that programs write into feeds and sitemaps. HTML has
 * 1,700 more, for formulas; their table would be a quarter of a parser that is loaded by a browser.
 */

// Runs of characters: the code of the first, and the names of all.
const RUNS =
  '160 nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig ' +
  'Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash ' +
  'Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ' +
  'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc ' +
  'uuml yacute thorn yuml;338 OElig oelig;352 Scaron scaron;376 Yuml;402 fnof;710 circ;732 tilde;913 Alpha Beta ' +
  'Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho;931 Sigma Tau Upsilon Phi Chi Psi ' +
  'Omega;945 alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma ' +
  'tau upsilon phi chi psi omega;977 thetasym upsih;982 piv;8194 ensp emsp;8201 thinsp;8204 zwnj zwj lrm rlm;8211 ' +
  'ndash mdash;8216 lsquo rsquo sbquo;8220 ldquo rdquo bdquo;8224 dagger Dagger bull;8230 hellip;8240 permil;8242 ' +
  'prime Prime;8249 lsaquo rsaquo;8254 oline;8260 frasl;8364 euro;8465 image;8472 weierp;8476 real;8482 trade;8501 ' +
  'alefsym;8592 larr uarr rarr darr harr;8629 crarr;8656 lArr uArr rArr dArr hArr;8704 forall;8706 part exist;8709 ' +
  'empty;8711 nabla isin notin;8715 ni;8719 prod;8721 sum minus;8727 lowast;8730 radic;8733 prop infin;8736 ' +
  'ang;8743 and or cap cup int;8756 there4;8764 sim;8773 cong;8776 asymp;8800 ne equiv;8804 le ge;8834 sub sup ' +
  'nsub;8838 sube supe;8853 oplus;8855 otimes;8869 perp;8901 sdot;8968 lceil rceil lfloor rfloor;10216 lang ' +
  'rang;9674 loz;9824 spades;9827 clubs;9829 hearts diams;33 excl;35 num dollar percnt;40 lpar rpar ast plus comma;46 ' +
  'period sol;58 colon semi;61 equals;63 quest commat;91 lsqb bsol rsqb;95 lowbar grave;123 lcub verbar rcub;256 ' +
  'Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot Ccaron ccaron Dcaron dcaron Dstrok dstrok ' +
  'Emacr emacr;278 Edot edot Eogon eogon Ecaron ecaron Gcirc gcirc Gbreve gbreve Gdot gdot Gcedil;292 Hcirc hcirc ' +
  'Hstrok hstrok Itilde itilde Imacr imacr;302 Iogon iogon Idot imath IJlig ijlig Jcirc jcirc Kcedil kcedil kgreen ' +
  'Lacute lacute Lcedil lcedil Lcaron lcaron Lmidot lmidot Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron ncaron ' +
  'napos ENG eng Omacr omacr;336 Odblac odblac;340 Racute racute Rcedil rcedil Rcaron rcaron Sacute sacute Scirc scirc ' +
  'Scedil scedil;354 Tcedil tcedil Tcaron tcaron Tstrok tstrok Utilde utilde Umacr umacr Ubreve ubreve Uring uring ' +
  'Udblac udblac Uogon uogon Wcirc wcirc Ycirc ycirc;377 Zacute zacute Zdot zdot Zcaron zcaron;1040 Acy Bcy Vcy Gcy Dcy ' +
  'IEcy ZHcy Zcy Icy Jcy Kcy Lcy Mcy Ncy Ocy Pcy Rcy Scy Tcy Ucy Fcy KHcy TScy CHcy SHcy SHCHcy HARDcy Ycy SOFTcy Ecy ' +
  'YUcy YAcy acy bcy vcy gcy dcy iecy zhcy zcy icy jcy kcy lcy mcy ncy ocy pcy rcy scy tcy ucy fcy khcy tscy chcy shcy ' +
  'shchcy hardcy ycy softcy ecy yucy yacy';

let named: ReadonlyMap<string, string> | undefined;

export function namedCharacters(): ReadonlyMap<string, string> {
  named ??= readRuns();
  return named;
}

function readRuns(): ReadonlyMap<string, string> {
  const found = new Map([
    ['amp', '&'],
    ['lt', '<'],
    ['gt', '>'],
    ['quot', '"'],
    ['apos', "'"],
  ]);
  for (const run of RUNS.split(';')) {
    const [first, ...names] = run.split(' ');
    for (const [index, name] of names.entries()) found.set(name, String.fromCodePoint(Number(first) + index));
  }
  return found;
}

/** What Windows has at 128 to 159, where Unicode has controls that no text means; HTML reads references so, too. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** The character with a number, as HTML reads it. Half of a pair stays what it is: the other one may follow. */
export function numberedCharacter(code: number): string {
  if (code >= 0x80 && code < 0xa0) return WINDOWS[code - 0x80]!;
  return code === 0 || code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code);
}
