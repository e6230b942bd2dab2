import { expect, test } from 'vitest';
import { linkedPlace, pathOf, placeAt } from '../../src/page/address.ts';

test('a channel and a message have the paths that they have in Discord', () => {
  const channel = { channelId: '2', messageId: null };
  const message = { channelId: '2', messageId: '3' };
  expect(pathOf('1', channel)).toBe('/channels/1/2');
  expect(pathOf('1', message)).toBe('/channels/1/2/3');
  expect(placeAt('/channels/1/2')).toEqual(channel);
  expect(placeAt('/channels/1/2/')).toEqual(channel);
  expect(placeAt('/channels/1/2/3')).toEqual(message);
});

test('no other path is a place', () => {
  for (const path of ['/', '/channels/1', '/channels/1/2/3/4', '/channels/@me/2', '/channels/1/x']) {
    expect(placeAt(path), path).toBeUndefined();
  }
});

test("Discord's links to this server lead to its channels and messages here, and no others do", () => {
  expect(linkedPlace('https://discord.com/channels/1/2/3', '1')).toEqual({ channelId: '2', messageId: '3' });
  expect(linkedPlace('https://canary.discord.com/channels/1/2', '1')).toEqual({ channelId: '2', messageId: null });
  expect(linkedPlace('https://discordapp.com/channels/1/2', '1')).toEqual({ channelId: '2', messageId: null });
  expect(linkedPlace('https://discord.com/channels/9/2/3', '1')).toBeUndefined();
  expect(linkedPlace('https://discord.com.example/channels/1/2/3', '1')).toBeUndefined();
  expect(linkedPlace('https://shop.example/channels/1/2/3', '1')).toBeUndefined();
});
