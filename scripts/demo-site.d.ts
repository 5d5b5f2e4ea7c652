/** The address that the files of the demo site have in place of their own. */
export declare const PLACEHOLDER: string;

/** Serves examples/demo-site on a free port of loopback. */
export declare function serveDemoSite(): Promise<{ readonly origin: string; close(): Promise<void> }>;
