import type { APIEmbed } from 'discord-api-types/v10';
import { countCharacters, type Field, MEDIA_SCHEMES } from './form.ts';

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const ALL_CHARACTERS = 6000;

/** Checks the rules for embeds that the published schema does not contain. The embeds must match the schema already. */
export function validateEmbeds(embeds: Field): void {
  let characters = 0;
  for (const embed of embeds.items()) {
    const { title, description, footer, author, fields, image, thumbnail } = embed.value as APIEmbed;
    const texts = [
      title,
      description,
      footer?.text,
      author?.name,
      ...(fields ?? []).flatMap((one) => [one.name, one.value]),
    ];
    for (const text of texts) characters += countCharacters(text);
    if (!image && !thumbnail && texts.every((text) => !text)) embed.at('description').required();
    for (const field of embed.at('fields').items()) for (const key of ['name', 'value']) field.at(key).filled();
    if (author) embed.at('author').at('name').filled();
    for (const place of [embed, embed.at('author')]) place.at('url').scheme(['http', 'https']);
    for (const key of ['footer', 'author']) embed.at(key).at('icon_url').scheme(MEDIA_SCHEMES);
    for (const key of ['image', 'thumbnail']) {
      const url = embed.at(key).at('url');
      if (!embed.at(key).isAbsent) url.filled();
      url.scheme(MEDIA_SCHEMES);
    }
  }
  if (characters > ALL_CHARACTERS) {
    embeds.fail('MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${ALL_CHARACTERS}`);
  }
}
