import type { Modal } from '../command.ts';
import { type Action, encodeMarked, GO_TO_PAGE, isPage } from '../custom-id.ts';
import type { Translator } from '../i18n/translator.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { form } from './form.ts';
import { buttons, type Card, card, primaryButton, text } from './parts.ts';

const INPUT = 'page';
const MOST_DIGITS = 5;

type PageAction = Extract<Action, { page: number }>;
type PageFields = { getTextInputValue(name: string): string };

/** Asks for the page of a list to open; an empty input means the shown one. */
export function pageForm(action: PageAction, translator: Translator): Modal {
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

/** The action with the page that the person entered; null where that is not a page's number. */
export function withWrittenPage<A extends { page: number }>(action: A, fields: PageFields): A | null {
  const text = writtenPage(fields);
  if (text === '') return action;
  return isPage(text) ? { ...action, page: Number(text) } : null;
}

/** Says what is wrong with the page that was entered, and opens the form again. */
export function pageMistakeCard(action: PageAction, fields: PageFields, translator: Translator): Card {
  const fix = primaryButton(translator.t('button.fix'), action);
  return card(ACCENT.warning, [
    text(`⚠ ${translator.t('list.noPage', { text: escapeLine(writtenPage(fields)) })}`),
    buttons([{ ...fix, custom_id: encodeMarked(GO_TO_PAGE, action) }]),
  ]);
}

const writtenPage = (fields: PageFields) => fields.getTextInputValue(INPUT).trim();
