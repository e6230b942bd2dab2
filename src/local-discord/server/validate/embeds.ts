import { countCharacters, type Field, MEDIA_SCHEMES } from './form.ts';

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const EMBED = {
  perMessage: 10,
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  author: 256,
  allTogether: 6000,
  url: 2048,
  color: 0xffffff,
} as const;

export function validateEmbeds(embeds: Field): void {
  const list = embeds.list({ max: EMBED.perMessage });
  let characters = 0;
  for (const embed of list) {
    if (!embed.object(true)) continue;
    const texts = [
      embed.at('title').string({ max: EMBED.title }),
      embed.at('description').string({ max: EMBED.description }),
    ];
    embed.at('url').url(['http', 'https'], EMBED.url);
    embed.at('color').integer({ min: 0, max: EMBED.color });
    validateTimestamp(embed.at('timestamp'));
    for (const field of embed.at('fields').list({ max: EMBED.fields })) {
      if (!field.object(true)) continue;
      texts.push(field.at('name').string({ min: 1, max: EMBED.fieldName, required: true }));
      texts.push(field.at('value').string({ min: 1, max: EMBED.fieldValue, required: true }));
      field.at('inline').boolean();
    }
    const footer = embed.at('footer');
    if (footer.object()) {
      texts.push(footer.at('text').string({ max: EMBED.footer }));
      footer.at('icon_url').url(MEDIA_SCHEMES, EMBED.url);
    }
    const author = embed.at('author');
    if (author.object()) {
      texts.push(author.at('name').string({ min: 1, max: EMBED.author, required: true }));
      author.at('url').url(['http', 'https'], EMBED.url);
      author.at('icon_url').url(MEDIA_SCHEMES, EMBED.url);
    }
    for (const key of ['image', 'thumbnail']) {
      const media = embed.at(key);
      if (media.object()) media.at('url').url(MEDIA_SCHEMES, EMBED.url, true);
    }
    for (const text of texts) characters += countCharacters(text);
    const pictured = ['image', 'thumbnail'].some((key) => !embed.at(key).isAbsent);
    if (!pictured && texts.every((text) => !text)) embed.at('description').required();
  }
  if (characters > EMBED.allTogether) {
    embeds.fail('MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${EMBED.allTogether}`);
  }
}

function validateTimestamp(timestamp: Field): void {
  const text = timestamp.string({ max: 64 });
  if (text !== undefined && Number.isNaN(Date.parse(text))) {
    timestamp.fail('DATE_TIME_TYPE_PARSE', `Could not parse ${text}. Should be ISO8601.`);
  }
}
