/** Proxies of the environment, which must not get requests to loopback: the demo, the tests and the soak serve sites there. */

/** As curl, npm and Node name them, in lower and upper case. */
const PROXY_VARIABLE = /^(?:npm_config_)?(?:https?|all|ftp|no)?[-_]?proxy$|^node_use_env_proxy$/i;

/** Removes them from the environment of this process, and so from that of its children. Returns them. */
export function removeProxies() {
  const removed = Object.entries(process.env).filter(([name]) => PROXY_VARIABLE.test(name));
  for (const [name] of removed) delete process.env[name];
  return Object.fromEntries(removed);
}
