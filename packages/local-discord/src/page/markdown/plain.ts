import type { Inline } from './inline.ts';
import type { Block } from './parse.ts';
import { formatTime } from './time.ts';

/** The words of parsed Markdown for a screen reader, one line per block. Struck-through text is left out. */
export function plainText(blocks: readonly Block[], nowMs: number): string {
  const textOf = (nodes: readonly Inline[]): string => nodes.map(nodeText).join('');

  const nodeText = (node: Inline): string => {
    switch (node.type) {
      case 'text':
      case 'code':
      case 'everyone':
        return node.text;
      case 'break':
        return '\n';
      case 'spoiler':
        return 'spoiler';
      case 'time':
        return formatTime(node.unixSeconds, node.style, nowMs);
      // A struck-through price read aloud would sound as if it were valid.
      case 'strike':
      case 'mention':
        return '';
      case 'command':
        return `/${node.name}`;
      case 'emoji':
        return `:${node.name}:`;
      default:
        return textOf(node.children);
    }
  };

  const blockText = (block: Block): string => {
    switch (block.type) {
      case 'code-block':
        return block.text;
      case 'quote':
        return block.children.map(blockText).join('\n');
      case 'list':
        return block.items.map((item) => item.map(blockText).join('\n')).join('\n');
      default:
        return textOf(block.children);
    }
  };

  return blocks.map(blockText).join('\n');
}
