/** A server of the Model Context Protocol: `ultimate-sitemap-parser/mcp`. */
export {
  createMcpServer,
  type McpServerOptions,
  type SitemapMcpServer,
  type StdioOptions,
} from './mcp-server.ts';
