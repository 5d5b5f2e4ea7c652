/** Removes the proxies of the environment of this process. Returns the variables. */
export declare function removeProxies(): Record<string, string>;
