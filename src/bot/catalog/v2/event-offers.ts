import { z } from 'zod';
import type { Artist, EventOffer } from '../../deals/event.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import {
  check,
  optionalFields,
  type Reader,
  readAmount,
  readDateTime,
  readFlag,
  readLink,
  readList,
  readPercentage,
  readText,
  title,
  uuid,
} from '../wire.ts';
import { readStats } from './stats.ts';

/** Specification: "v2: Offer (a collection of similar items)". */
const wireOffer = z.looseObject({
  Id: uuid,
  Title: title,
});

export const readEventOffer: Reader<EventOffer> = (json, report) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      title: wire.Title,
      subtitle: readText(wire['Subtitle']),
      teaser: readText(wire['Teaser']),
      writeUp: readText(wire['WriteUp']),
      features: readText(wire['Features']),
      specs: readText(wire['Specs']),
      url: readLink(wire['Url']),
      discussionUrl: readLink(wire['DiscussionUrl']),
      items: readList(wire['Items'], 'Items', readItem, report),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report),
      shippingMethods: readList(wire['ShippingMethods'], 'ShippingMethods', readShippingMethod, report),
      estimatedShipDate: readShipDate(wire['EstimatedShipDate']),
      percentageRemaining: readPercentage(wire['PercentageRemaining']),
      soldOut: readFlag(wire['SoldOut']),
      stats: readStats(wire['Stats']),
      artist: readArtist(wire['Artist']),
      snippet: readText(wire['Snippet']),
      rank: readAmount(wire['Rank']),
      originalStartDateMs: readDateTime(wire['OriginalStartDate']),
    }
  );
};

/** Specification: "v2: EstimatedShipDate"; its two parts form one sentence. */
function readShipDate(json: unknown): string | null {
  const { data } = optionalFields.safeParse(json);
  const halves = [data?.['MessagePrefix'], data?.['MessageBody']].map(readText).filter((half) => half !== null);
  return halves.length === 0 ? null : halves.join(' ');
}

/** The specification shows no fields; a live deployment sends these. "Blank if none." */
const wireArtist = z.looseObject({ Name: title });

function readArtist(json: unknown): Artist | null {
  const { data } = wireArtist.safeParse(json);
  return data ? { name: data.Name, avatar: readLink(data['Avatar']), biography: readText(data['Biography']) } : null;
}
