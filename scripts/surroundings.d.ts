/** Whether there is a build, and no source is newer. */
export declare function isBuilt(): boolean;
