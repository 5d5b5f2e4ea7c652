/** Whether there is a build, and no source is newer. */
export declare function isBuilt(): boolean;

/** Why the tests cannot run in a checkout with this path, in a sentence; undefined where they can. */
export declare function whyNotIn(path?: string): string | undefined;
