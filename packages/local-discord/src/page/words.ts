import type { Context } from './context.ts';
import { localeOf } from './localized.ts';

/** The words of Discord's own client that the page shows in each person's language. `{name}` and the like are filled in. */
const ENGLISH = {
  close: 'Close',
  message: 'Message',
  copyText: 'Copy Text',
  copyMessageLink: 'Copy Message Link',
  copyMessageId: 'Copy Message ID',
  dismissMessage: 'Dismiss Message',
  messageMenu: 'More for this message',
  pinMessage: 'Pin Message',
  unpinMessage: 'Unpin Message',
  deleteMessage: 'Delete Message',
  pins: 'Pinned Messages',
  noPins: "This channel doesn't have any pinned messages… yet.",
  jump: 'Jump',
  pinned: '{name} pinned {a message} to this channel. See all {pinned messages}.',
  followed: '{name} has added {source} to this channel. Its most important updates will show up here.',
  events: 'Events',
  noEvents: 'There are no upcoming events.',
  now: 'Happening now',
  until: 'until {time}',
  interested: 'Interested',
  interestedCount: '{count} interested',
  endEvent: 'End Event',
  deleteEvent: 'Delete Event',
  follow: 'Follow',
  followTitle: 'Follow {channel}',
  followNote: 'What is published here is sent to the channel you choose.',
  followWhere: 'Channel',
  apps: 'Apps',
  onlyYou: 'Only you can see this',
  dismissThis: 'Dismiss message',
  thinking: '{name} is thinking…',
  sending: 'Sending command',
  noAnswer: 'The application did not respond',
  failed: 'This interaction failed',
  edited: '(edited)',
};

type Words = typeof ENGLISH;

const GERMAN: Words = {
  close: 'Schließen',
  message: 'Nachricht',
  copyText: 'Text kopieren',
  copyMessageLink: 'Nachrichtenlink kopieren',
  copyMessageId: 'Nachrichten-ID kopieren',
  dismissMessage: 'Nachricht ausblenden',
  messageMenu: 'Mehr zu dieser Nachricht',
  pinMessage: 'Nachricht anpinnen',
  unpinMessage: 'Nachricht loslösen',
  deleteMessage: 'Nachricht löschen',
  pins: 'Angepinnte Nachrichten',
  noPins: 'In diesem Kanal ist noch keine Nachricht angepinnt.',
  jump: 'Springen',
  pinned: '{name} hat {eine Nachricht} in diesem Kanal angepinnt. Alle {angepinnten Nachrichten} ansehen.',
  followed: '{name} hat {source} zu diesem Kanal hinzugefügt. Die wichtigsten Neuigkeiten erscheinen hier.',
  events: 'Events',
  noEvents: 'Es stehen keine Events an.',
  now: 'Läuft gerade',
  until: 'bis {time}',
  interested: 'Interessiert',
  interestedCount: '{count} interessiert',
  endEvent: 'Event beenden',
  deleteEvent: 'Event löschen',
  follow: 'Folgen',
  followTitle: '{channel} folgen',
  followNote: 'Was hier veröffentlicht wird, kommt in den Kanal, den du auswählst.',
  followWhere: 'Kanal',
  apps: 'Apps',
  onlyYou: 'Nur du kannst das sehen',
  dismissThis: 'Nachricht verwerfen',
  thinking: '{name} denkt nach …',
  sending: 'Befehl wird gesendet',
  noAnswer: 'Die Anwendung hat nicht reagiert',
  failed: 'Diese Interaktion ist fehlgeschlagen',
  edited: '(bearbeitet)',
};

const FRENCH: Words = {
  close: 'Fermer',
  message: 'Message',
  copyText: 'Copier le texte',
  copyMessageLink: 'Copier le lien du message',
  copyMessageId: 'Copier l’identifiant du message',
  dismissMessage: 'Masquer le message',
  messageMenu: 'Plus pour ce message',
  pinMessage: 'Épingler le message',
  unpinMessage: 'Désépingler le message',
  deleteMessage: 'Supprimer le message',
  pins: 'Messages épinglés',
  noPins: 'Ce salon n’a pas encore de message épinglé.',
  jump: 'Voir',
  pinned: '{name} a épinglé {un message} dans ce salon. Voir tous les {messages épinglés}.',
  followed: '{name} a ajouté {source} à ce salon. Ses actualités les plus importantes s’afficheront ici.',
  events: 'Événements',
  noEvents: 'Aucun événement n’est prévu.',
  now: 'En ce moment',
  until: 'jusqu’à {time}',
  interested: 'Ça m’intéresse',
  interestedCount: 'Intéressés : {count}',
  endEvent: 'Terminer l’événement',
  deleteEvent: 'Supprimer l’événement',
  follow: 'Suivre',
  followTitle: 'Suivre {channel}',
  followNote: 'Ce qui est publié ici arrive dans le salon que tu choisis.',
  followWhere: 'Salon',
  apps: 'Applications',
  onlyYou: 'Visible par toi uniquement',
  dismissThis: 'Rejeter le message',
  thinking: '{name} réfléchit…',
  sending: 'Envoi de la commande',
  noAnswer: 'L’application n’a pas répondu',
  failed: 'Échec de l’interaction',
  edited: '(modifié)',
};

const SPANISH: Words = {
  close: 'Cerrar',
  message: 'Mensaje',
  copyText: 'Copiar texto',
  copyMessageLink: 'Copiar enlace del mensaje',
  copyMessageId: 'Copiar ID del mensaje',
  dismissMessage: 'Ocultar mensaje',
  messageMenu: 'Más para este mensaje',
  pinMessage: 'Fijar mensaje',
  unpinMessage: 'Dejar de fijar mensaje',
  deleteMessage: 'Eliminar mensaje',
  pins: 'Mensajes fijados',
  noPins: 'Este canal aún no tiene mensajes fijados.',
  jump: 'Ir al mensaje',
  pinned: '{name} ha fijado {un mensaje} en este canal. Ver todos los {mensajes fijados}.',
  followed: '{name} ha añadido {source} a este canal. Sus novedades más importantes aparecerán aquí.',
  events: 'Eventos',
  noEvents: 'No hay eventos próximos.',
  now: 'En curso',
  until: 'hasta {time}',
  interested: 'Me interesa',
  interestedCount: '{count} con interés',
  endEvent: 'Finalizar evento',
  deleteEvent: 'Eliminar evento',
  follow: 'Seguir',
  followTitle: 'Seguir {channel}',
  followNote: 'Lo que se publica aquí llega al canal que elijas.',
  followWhere: 'Canal',
  apps: 'Aplicaciones',
  onlyYou: 'Solo tú puedes ver esto',
  dismissThis: 'Descartar mensaje',
  thinking: '{name} está pensando…',
  sending: 'Enviando comando',
  noAnswer: 'La aplicación no respondió',
  failed: 'Esta interacción ha fallado',
  edited: '(editado)',
};

const WORDS: Readonly<Record<string, Words>> = { de: GERMAN, fr: FRENCH, 'es-ES': SPANISH };

/** The words in the language of the person whom the page acts as; English in a language that the page doesn't speak. */
export function wordsOf(context: Pick<Context, 'server' | 'view'>): Words {
  return WORDS[localeOf(context)] ?? ENGLISH;
}

/** A text with its one placeholder filled in. */
export function filled(text: string, value: string): string {
  return text.replace(/\{[^}]*\}/, () => value);
}

/** The pieces of a text at its placeholders: what stands between them, and their names, in turn. */
export function piecesOf(text: string): string[] {
  return text.split(/\{([^}]*)\}/);
}
