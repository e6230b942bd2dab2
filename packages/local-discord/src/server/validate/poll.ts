import type { Field } from './form.ts';

/** Complains of what the published form of a poll leaves out: https://discord.com/developers/docs/resources/poll#poll-media-object */
export function validatePoll(field: Field): void {
  if (field.isAbsent) return;
  field.at('question').at('text').string({ min: 1, max: 300, required: true });
  for (const answer of field.at('answers').items()) answer.at('poll_media').at('text').string({ max: 55 });
}
