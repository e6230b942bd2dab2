// Leaves the arguments of log calls as they are: what the log says is tested by its readers (test/app).
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const LEVELS = new Set(['debug', 'info', 'warn', 'error', 'fatal']);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'log-lines', {
    shouldIgnore({ node }) {
      const isCall = node.type === 'CallExpression' && node.callee.type === 'MemberExpression';
      return isCall && isLog(node.callee.object) && LEVELS.has(node.callee.property.name) ? 'a log line' : undefined;
    },
  }),
];

/** `log`, or the property `log` of anything. */
function isLog(node) {
  return node.type === 'Identifier' ? node.name === 'log' : node.property?.name === 'log';
}
