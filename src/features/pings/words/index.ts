// Written by `npm run types` from the files beside it.
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/** The feature's sentences, by language and key. */
export const WORDS = { en, de, fr, es };

declare module '../../../discord/i18n/catalog.ts' {
  interface Catalog extends Readonly<Record<keyof typeof en, string>> {}
}

declare module '../../../discord/i18n/placeholders.ts' {
  interface Placeholders {
    'ping.tried': 'count, number';
    'ping.rang': 'count, number';
    'ping.twice': 'role';
    'takePings.count': 'count, number';
    'takePings.taken': 'roles';
    'takePings.left': 'roles';
    'takePings.tooFast': 'most, number';
    'takePings.refused': 'role';
    'takePings.unchanged': 'role';
    'takePings.opensChannels': 'role' | 'channels';
    'takePings.addsPermissions': 'role' | 'permissions';
    'takePings.ofDiscord': 'role';
    'takePings.hiddenChannels': 'role';
    'takePings.notGiven': 'role';
    'takePings.paused': 'role' | 'channel';
    'takePings.otherKinds': 'role' | 'channel';
    'makePing.made': 'role';
    'makePing.ask': 'role';
    'makePing.there': 'role';
    'makePing.same': 'role';
    'makePing.use': 'role';
    'makePing.undone': 'role';
    'reason.chosePings': 'person';
    'reason.madeRole': 'person' | 'filter';
    'reason.undidRole': 'person';
    'why.ping.filter': 'filter';
    'panel.setting.role': 'roles';
    'ping.tooMany': 'most, number';
  }
}
