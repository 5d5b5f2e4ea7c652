/** The package's version, for the User-Agent; a test holds it equal to package.json's. */
export const VERSION = '1.0.0';
