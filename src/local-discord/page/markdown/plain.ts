import type { Block, Inline } from './parse.ts';

/** What a reader hears of parsed Markdown: its words alone, a line a block. */
export function plainText(blocks: readonly Block[]): string {
  return blocks.map(blockText).join('\n');
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'code-block':
      return block.text;
    case 'quote':
      return plainText(block.children);
    case 'list':
      return block.items.map(plainText).join('\n');
    default:
      return inlineText(block.children);
  }
}

function inlineText(nodes: readonly Inline[]): string {
  return nodes.map(nodeText).join('');
}

function nodeText(node: Inline): string {
  switch (node.type) {
    case 'text':
    case 'code':
    case 'everyone':
      return node.text;
    case 'break':
      return '\n';
    case 'spoiler':
      return 'spoiler';
    case 'strike':
      // A struck price read aloud as if it were valid would mislead.
      return '';
    case 'time':
    case 'mention':
      return '';
    case 'command':
      return `/${node.name}`;
    case 'emoji':
      return `:${node.name}:`;
    default:
      return inlineText(node.children);
  }
}
