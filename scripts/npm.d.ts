/** Copies what is published into a new folder, without scripts, to be packed there. */
export declare function copyPackage(folder: string): void;
