import { html, nothing, type TemplateResult } from 'lit';
import { type Context, channelById, displayName, nameOfChannel, userById } from '../context.ts';
import { isThread } from '../state.ts';
import type { Inline } from './inline.ts';
import { type Block, parseMarkdown } from './parse.ts';
import { formatTime } from './time.ts';

/** Parsed Markdown by its source, because the page renders the same text again with every change. */
const parsed = new Map<string, Block[]>();
const MOST_PARSED = 2000;

export function parseOnce(source: string): Block[] {
  let blocks = parsed.get(source);
  if (!blocks) {
    if (parsed.size >= MOST_PARSED) parsed.clear();
    blocks = parseMarkdown(source);
    parsed.set(source, blocks);
  }
  return blocks;
}

/** Renders Discord's Markdown; every piece of text goes through lit's escaping. */
export function markdown(source: string, context: Context): TemplateResult {
  return html`<div class="markdown">${parseOnce(source).map((block) => drawBlock(block, context))}</div>`;
}

function drawBlock(block: Block, context: Context): TemplateResult {
  switch (block.type) {
    case 'paragraph':
      return html`<p>${inline(block.children, context)}</p>`;
    case 'heading': {
      const text = inline(block.children, context);
      // The page's own headings use levels 1 and 2.
      if (block.level === 1) return html`<h3 class="h1">${text}</h3>`;
      return block.level === 2 ? html`<h4 class="h2">${text}</h4>` : html`<h5 class="h3">${text}</h5>`;
    }
    case 'subtext':
      return html`<p class="subtext">${inline(block.children, context)}</p>`;
    case 'quote':
      return html`<blockquote>${block.children.map((child) => drawBlock(child, context))}</blockquote>`;
    case 'list': {
      const items = block.items.map((item) => html`<li>${item.map((child) => drawBlock(child, context))}</li>`);
      return block.start === null ? html`<ul>${items}</ul>` : html`<ol start=${block.start}>${items}</ol>`;
    }
    case 'code-block':
      return html`<pre tabindex="0"><code>${block.text}</code></pre>`;
  }
}

function inline(nodes: readonly Inline[], context: Context): unknown {
  return nodes.map((node) => drawInline(node, context));
}

function drawInline(node: Inline, context: Context): unknown {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'break':
      return html`<br />`;
    case 'bold':
      return html`<strong>${inline(node.children, context)}</strong>`;
    case 'italic':
      return html`<em>${inline(node.children, context)}</em>`;
    case 'underline':
      return html`<u>${inline(node.children, context)}</u>`;
    case 'strike':
      return html`<s>${inline(node.children, context)}</s>`;
    case 'spoiler':
      return html`<span class="spoiler" tabindex="0" title="Spoiler">${inline(node.children, context)}</span>`;
    case 'code':
      return html`<code>${node.text}</code>`;
    case 'link':
      return html`<a href=${node.href} target="_blank" rel="noopener noreferrer">${inline(node.children, context)}</a>`;
    case 'time':
      return drawTime(node, context.nowMs);
    case 'mention':
      return drawMention(node, context);
    case 'everyone':
      return html`<discord-mention type="user">${node.text.slice(1)}</discord-mention>`;
    case 'command': {
      const begin = () => context.actions.startCommand(node.name);
      return html`<button class="mention" @click=${begin}>/${node.name}</button>`;
    }
    case 'emoji':
      return `:${node.name}:`;
  }
}

function drawTime({ unixSeconds, style }: Extract<Inline, { type: 'time' }>, nowMs: number): TemplateResult {
  const iso = new Date(unixSeconds * 1000).toISOString();
  const full = formatTime(unixSeconds, 'F', nowMs);
  return html`<time class="stamp" datetime=${iso} title=${full}>${formatTime(unixSeconds, style, nowMs)}</time>`;
}

function drawMention(node: Extract<Inline, { type: 'mention' }>, context: Context): unknown {
  if (node.kind === 'channel') {
    const channel = channelById(context, node.id);
    if (!channel) return html`<discord-mention type="channel">unknown</discord-mention>`;
    const open = () => context.actions.openChannel(node.id);
    return html`<button class="mention" @click=${open}>${isThread(channel) ? nothing : '#'}${nameOfChannel(channel)}</button>`;
  }
  if (node.kind === 'role') {
    const role = context.server.guild.roles.find(({ id }) => id === node.id);
    return html`<discord-mention type="role">${role?.name ?? 'unknown role'}</discord-mention>`;
  }
  const user = userById(context, node.id);
  return html`<discord-mention type="user">${user ? displayName(user) : 'unknown user'}</discord-mention>`;
}
