/** The kinds of documents. */

/** The kinds of XML documents. */
export type XmlKind = 'pages-xml' | 'index-xml' | 'pages-rss' | 'pages-atom';

/** What a document turned out to be. */
export type DocumentKind = XmlKind | 'robots-txt' | 'pages-text' | 'invalid';
