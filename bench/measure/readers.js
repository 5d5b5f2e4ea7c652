/**
 * What a contestant hands its pages to. A page comes with `page()`, and what belongs to it with the calls that follow,
 * so nobody has to make objects of somebody else's shape.
 */
import { createHash } from 'node:crypto';

/** For the timed passes: uses every value, so that none can be left unmade, and costs next to nothing. */
export class SummingReader {
  count = 0;
  /** Whole numbers only, so the order in which pages arrive makes no difference. */
  sum = 0;

  page(url, lastModified, priority, changeFrequency) {
    this.count++;
    this.sum += url.length + seconds(lastModified) + tenths(priority) + (changeFrequency?.length ?? 0);
  }

  news(title, publicationName, language, publishDate) {
    this.sum +=
      title.length + (publicationName?.length ?? 0) + (language?.length ?? 0) + seconds(publishDate);
  }

  image(loc, title, caption) {
    this.sum += loc.length + title.length + caption.length;
  }

  video(thumbnailLoc, title, description, contentLoc, duration, publicationDate) {
    this.sum += thumbnailLoc.length + title.length + description.length + contentLoc.length;
    this.sum += duration + seconds(publicationDate);
  }

  alternate(language, href) {
    this.sum += language.length + href.length;
  }
}

/** For the pass that is checked: a checksum over every value of every page, in whatever order the pages come. */
export class CheckingReader {
  count = 0;
  #checksum = 0n;
  #lines = '';

  page(url, lastModified, priority, changeFrequency) {
    this.#endPage();
    this.count++;
    this.#lines = `${url}\t${seconds(lastModified)}\t${tenths(priority)}\t${changeFrequency ?? ''}\n`;
  }

  news(title, publicationName, language, publishDate) {
    this.#lines += `${title}\t${publicationName ?? ''}\t${language ?? ''}\t${seconds(publishDate)}\n`;
  }

  image(loc, title, caption) {
    this.#lines += `${loc}\t${title}\t${caption}\n`;
  }

  video(thumbnailLoc, title, description, contentLoc, duration, publicationDate) {
    this.#lines += `${thumbnailLoc}\t${title}\t${description}\t${contentLoc}\t${duration}\t${seconds(publicationDate)}\n`;
  }

  alternate(language, href) {
    this.#lines += `${language}\t${href}\n`;
  }

  get checksum() {
    this.#endPage();
    return this.#checksum.toString(16).padStart(16, '0');
  }

  #endPage() {
    if (this.#lines === '') return;
    const hash = createHash('sha256').update(this.#lines).digest().readBigUInt64BE(0);
    this.#checksum = BigInt.asUintN(64, this.#checksum + hash);
    this.#lines = '';
  }
}

// Not milliseconds: the sum over millions of pages must stay exact.
function seconds(date) {
  return date === undefined ? 0 : date.getTime() / 1000;
}

function tenths(priority) {
  return Math.round(priority * 10);
}
