// What is left as it is: the arguments of log calls, because what the log says is tested by its readers (test/app), and in a sample
// all statements but the share that is asked for.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** In percent. */
const SHARE = Number(process.env.MUTATION_SHARE ?? 100);
const LEVELS = new Set(['debug', 'info', 'warn', 'error', 'fatal']);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'left-out', {
    shouldIgnore(path) {
      if (isLeftOut(path)) return 'not in the sample';
      const { node } = path;
      const isCall = node.type === 'CallExpression' && node.callee.type === 'MemberExpression';
      return isCall && isLog(node.callee.object) && LEVELS.has(node.callee.property.name) ? 'a log line' : undefined;
    },
  }),
];

/** Whether a statement is not in the sample. One that holds functions is looked into instead. */
function isLeftOut(path) {
  if (SHARE === 100 || !path.isStatement() || path.isBlockStatement() || !path.getFunctionParent()) return false;
  let holdsFunctions = false;
  path.traverse({
    Function({ node }) {
      if (node.body.type === 'BlockStatement') holdsFunctions = true;
    },
  });
  const { line, column } = path.node.loc.start;
  // Multiplied by the golden ratio, places that follow one another spread evenly (Knuth, section 6.4).
  return !holdsFunctions && (((line * 100 + column) * 0.618_033_988_75) % 1) * 100 >= SHARE;
}

/** `log`, or the property `log` of anything. */
function isLog(node) {
  return node.type === 'Identifier' ? node.name === 'log' : node.property?.name === 'log';
}
