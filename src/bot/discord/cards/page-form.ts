import { UserError } from '../../../shared/errors.ts';
import type { Modal } from '../command.ts';
import { type Action, encodeMarked, GO_TO_PAGE, isPage } from '../custom-id.ts';
import { message, type Translator } from '../i18n/translator.ts';
import { escapeLine } from '../markdown.ts';
import { form } from './form.ts';

const INPUT = 'page';
const MOST_DIGITS = 5;

/** Asks for the page of a list to open; an empty input means the shown one. */
export function pageForm(action: Extract<Action, { page: number }>, translator: Translator): Modal {
  const { modal } = form(action, translator.t('list.goTo'), [
    {
      takes: 'text',
      name: INPUT,
      label: translator.t('form.page'),
      example: String(action.page),
      value: '',
      most: MOST_DIGITS,
    },
  ]);
  return { modal: { ...modal, custom_id: encodeMarked(GO_TO_PAGE, action) } };
}

/** The action with the page that the person entered. @throws UserError where it is not a page's number */
export function withWrittenPage<A extends { page: number }>(
  action: A,
  fields: { getTextInputValue(name: string): string },
): A {
  const text = fields.getTextInputValue(INPUT).trim();
  if (text === '') return action;
  if (!isPage(text)) throw new UserError(message('list.noPage', { text: escapeLine(text) }));
  return { ...action, page: Number(text) };
}
