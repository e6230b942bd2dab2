import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { type Context, channelById, displayName, nameOfChannel, userById } from '../context.ts';
import { placeLink } from '../links.ts';
import { isThread } from '../state.ts';
import type { Inline } from './inline.ts';
import { type Block, parseMarkdown } from './parse.ts';
import { formatTime } from './time.ts';

/** Parsed Markdown by its source, because the page renders the same text again with every change. */
const parsed = new Map<string, Block[]>();
/** More than the texts of all messages that are shown at once. */
const MOST_PARSED = 10_000;

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
      // All below the channel's name, which is the page's only heading of level 1: a message may begin at any level.
      return html`<h2 class="h${block.level}">${text}</h2>`;
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
      return drawLink(node, context);
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

function drawLink({ href, children }: Extract<Inline, { type: 'link' }>, context: Context): TemplateResult {
  const own = placeLink(href, context);
  if (own) return html`<a href=${own.path} @click=${own.open}>${inline(children, context)}</a>`;
  return html`<a href=${href} target="_blank" rel="noopener noreferrer">${inline(children, context)}</a>`;
}

function drawTime({ unixSeconds, style }: Extract<Inline, { type: 'time' }>, nowMs: number): TemplateResult {
  const iso = new Date(unixSeconds * 1000).toISOString();
  const full = formatTime(unixSeconds, 'F', nowMs);
  const text = formatTime(unixSeconds, style, nowMs);
  // A property, so that renewTimes may set it as well.
  return html`<time class="stamp" datetime=${iso} title=${full} ?data-relative=${style === 'R'} .textContent=${live(text)}></time>`;
}

/** Renews the relative times below an element, which is cheaper than drawing all that holds them. */
export function renewTimes(root: ParentNode, nowMs: number): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-relative]')) {
    const text = formatTime(Date.parse(time.dateTime) / 1000, 'R', nowMs);
    if (time.textContent !== text) time.textContent = text;
  }
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
