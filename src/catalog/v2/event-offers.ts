import { z } from 'zod';
import type { Artist, EventOffer, QualityPost } from '../../deals/event.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import {
  amount,
  anything,
  check,
  dateTime,
  flag,
  link,
  percentage,
  type Reader,
  readList,
  text,
  title,
  uuid,
} from '../wire.ts';
import { readStats } from './stats.ts';

/** Specification: "v2: Offer (a collection of similar items)". */
const wireOffer = z.object({
  Id: uuid,
  Title: title,
  Subtitle: text,
  Teaser: text,
  WriteUp: text,
  Features: text,
  Specs: text,
  Url: link,
  DiscussionUrl: link,
  Items: anything,
  Photos: anything,
  ShippingMethods: anything,
  EstimatedShipDate: anything,
  PercentageRemaining: percentage,
  SoldOut: flag,
  Stats: anything,
  QualityPosts: anything,
  Artist: anything,
  Snippet: text,
  WineryDetails: text,
  Rank: amount,
  OriginalStartDate: dateTime,
});

export const readEventOffer: Reader<EventOffer> = (json, report) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      title: wire.Title,
      subtitle: wire.Subtitle,
      teaser: wire.Teaser,
      writeUp: wire.WriteUp,
      features: wire.Features,
      specs: wire.Specs,
      url: wire.Url,
      discussionUrl: wire.DiscussionUrl,
      items: readList(wire.Items, 'Items', readItem, report),
      photos: readList(wire.Photos, 'Photos', readPhoto, report),
      shippingMethods: readList(wire.ShippingMethods, 'ShippingMethods', readShippingMethod, report),
      estimatedShipDate: readShipDate(wire.EstimatedShipDate),
      percentageRemaining: wire.PercentageRemaining,
      soldOut: wire.SoldOut,
      stats: readStats(wire.Stats),
      qualityPosts: readList(wire.QualityPosts, 'QualityPosts', readQualityPost, report),
      artist: readArtist(wire.Artist),
      snippet: wire.Snippet,
      wineryDetails: wire.WineryDetails,
      rank: wire.Rank,
      originalStartDateMs: wire.OriginalStartDate,
    }
  );
};

/** Specification: "v2: EstimatedShipDate"; its two halves make one sentence. */
const wireShipDate = z.object({ MessagePrefix: text, MessageBody: text });

function readShipDate(json: unknown): string | null {
  const { data } = wireShipDate.safeParse(json);
  const halves = [data?.MessagePrefix, data?.MessageBody].filter((half) => typeof half === 'string');
  return halves.length === 0 ? null : halves.join(' ');
}

/** Specification: "v2: QualityPost". */
const wireQualityPost = z.object({
  Username: title,
  Avatar: link,
  Text: text,
  FormattedBody: text,
  PostedOn: dateTime,
});

const readQualityPost: Reader<QualityPost> = (json, report) => {
  const wire = check(wireQualityPost, json, report);
  return (
    wire && {
      username: wire.Username,
      avatar: wire.Avatar,
      text: wire.Text,
      formattedBody: wire.FormattedBody,
      postedOnMs: wire.PostedOn,
    }
  );
};

/** The specification shows no fields; a live deployment sends these. "Blank if none." */
const wireArtist = z.object({ Name: title, Avatar: link, Biography: text });

function readArtist(json: unknown): Artist | null {
  const { data } = wireArtist.safeParse(json);
  return data ? { name: data.Name, avatar: data.Avatar, biography: data.Biography } : null;
}
