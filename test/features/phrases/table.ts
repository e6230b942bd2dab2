import type { Language } from '../../../src/discord/i18n/catalog.ts';

// What people type where a filter goes, and the filter that it means. `=` means that it stays as it is.

/** Lines of the form `what is typed -> its filter`. */
const LINES: Readonly<Record<Language, string>> = {
  en: `
vacuum under $60 -> vacuum price:<60
vacuum under 60$ -> vacuum price:<60
vacuum under 60 USD -> vacuum price:<60
vacuum under 60 dollars -> vacuum price:<60
vacuum under 60 bucks -> vacuum price:<60
vacuum under 60 -> vacuum price:<60
vacuum for under $60 -> vacuum price:<60
under $60 vacuum -> price:<60 vacuum
vacuum below $59.99 -> vacuum price:<59.99
vacuum less than $60 -> vacuum price:<60
vacuum for less than $60 -> vacuum price:<60
vacuum cheaper than $60 -> vacuum price:<60
vacuum up to $60 -> vacuum price:<=60
vacuum max $60 -> vacuum price:<=60
vacuum max. 60 -> vacuum price:<=60
vacuum at most $60 -> vacuum price:<=60
vacuum no more than $60 -> vacuum price:<=60
laptop under $1,299 -> laptop price:<1299
laptop under 1,299.99 dollars -> laptop price:<1299.99
laptop over $500 -> laptop price:>500
laptop above $500 -> laptop price:>500
laptop more than $500 -> laptop price:>500
laptop at least $500 -> laptop price:>=500
laptop from $500 -> laptop price:>=500
laptop starting at $500 -> laptop price:>=500
laptop min $500 -> laptop price:>=500
tv $20-$60 -> tv price:20..60
tv $20-60 -> tv price:20..60
tv $20 to $60 -> tv price:20..60
tv 20 to 60 dollars -> tv price:20..60
tv between 20 and 60 -> tv price:20..60
tv between $20 and $60 -> tv price:20..60
tv from $20 to $60 -> tv price:20..60
price<60 -> price:<60
price < 60 -> price:<60
price <= $60 -> price:<=60
price ≤ 60 -> price:<=60
price=60 -> price:60
price≥40 -> price:>=40
price: <60 -> price:<60
price : < 60 -> price:<60
price under $60 -> price:<60
ssd <$60 -> ssd price:<60
ssd < $60 -> ssd price:<60
ssd < 60 -> ssd price:<60
off>=40 -> off:>=40
off > 40% -> off:>40
ends<24h -> ends:<24h
50% off -> off:>=50
headphones 50 % off -> headphones off:>=50
at least 40 % off -> off:>=40
more than 30% off -> off:>30
-50% off -> off:>=50
vacuum under $60, new only. -> vacuum price:<60 condition:new
half price -> off:>=50
half off -> off:>=50
drill half price -> drill off:>=50
no refurbished -> -refurbished
without refurbished -> -refurbished
not refurbished -> -refurbished
laptop without stylus -> laptop -stylus
new only -> condition:new
only new -> condition:new
laptop new only under $500 -> laptop condition:new price:<500
refurbished only -> refurbished
sold by a partner -> partner:true
not sold by a partner -> partner:false
in stock -> soldout:false
ends today -> ends:<24h
ends in less than 3 hours -> ends:<3h
ends in 2 days -> ends:<2d
(ssd OR nvme) under $60 -> (ssd OR nvme) price:<60
ssd -refurb* under $60 off:>=40 -> ssd -refurb* price:<60 off:>=40
iPhone 15 -> =
WH-1000XM5 -> =
ssd 4 TB -> =
ssd under 4 TB -> =
"under $60" -> =
under armour shoes -> =
nike air max 90 -> =
air max 95 under $100 -> air max 95 price:<100
workout under 30 minutes -> =
max verstappen cap -> =
over ear headphones -> =
from dusk till dawn -> =
no man's sky -> =
new balance 990 -> =
50% cotton -> =
vacuum under 60 € -> =
vacuum under 60 euros -> =
vacuum under £60 -> =
price:<50 ssd -refurb* -> =
price:10..20 -> =
/under \\$60/ -> =
20-60 -> =
mid-century table -> =
off white -> =
`,
  de: `
staubsauger unter 60 $ -> staubsauger price:<60
staubsauger unter 60$ -> staubsauger price:<60
staubsauger unter $60 -> staubsauger price:<60
staubsauger unter 60 Dollar -> staubsauger price:<60
staubsauger unter 60 USD -> staubsauger price:<60
staubsauger unter 60 -> staubsauger price:<60
staubsauger für unter 60 $ -> staubsauger price:<60
unter 60 $ staubsauger -> price:<60 staubsauger
vacuum unter 50,5 $ -> vacuum price:<50.5
vacuum unter 59,99 Dollar -> vacuum price:<59.99
vacuum weniger als 60 $ -> vacuum price:<60
vacuum für weniger als 60 $ -> vacuum price:<60
vacuum billiger als 60 $ -> vacuum price:<60
vacuum günstiger als 60 $ -> vacuum price:<60
vacuum bis 60 $ -> vacuum price:<=60
vacuum bis zu 60 $ -> vacuum price:<=60
vacuum höchstens 60 $ -> vacuum price:<=60
vacuum maximal 60 $ -> vacuum price:<=60
vacuum max. 60 $ -> vacuum price:<=60
vacuum max 60 $ -> vacuum price:<=60
air max 90 -> =
laptop unter 1.299 $ -> laptop price:<1299
laptop unter 1.299,99 $ -> laptop price:<1299.99
laptop über 500 $ -> laptop price:>500
laptop ueber 500 $ -> laptop price:>500
laptop mehr als 500 $ -> laptop price:>500
laptop ab 500 $ -> laptop price:>=500
laptop mindestens 500 $ -> laptop price:>=500
laptop min. 500 $ -> laptop price:>=500
tv zwischen 20 und 60 -> tv price:20..60
tv zwischen 20 $ und 60 $ -> tv price:20..60
tv von 20 bis 60 $ -> tv price:20..60
tv 20 bis 60 Dollar -> tv price:20..60
tv 20-60 $ -> tv price:20..60
tv 20 $ - 60 $ -> tv price:20..60
preis<60 -> price:<60
preis < 60 -> price:<60
preis <= 60 $ -> price:<=60
preis unter 60 $ -> price:<60
preis: <60 -> price:<60
price<60 -> price:<60
rabatt>=40 -> off:>=40
rabatt > 40 % -> off:>40
50 % Rabatt -> off:>=50
50% rabatt -> off:>=50
kopfhörer 50 % reduziert -> kopfhörer off:>=50
50 % günstiger -> off:>=50
mindestens 40 % Rabatt -> off:>=40
mehr als 30 % Rabatt -> off:>30
über 30 % Rabatt -> off:>30
halber Preis -> off:>=50
zum halben Preis -> off:>=50
bohrer zum halben Preis -> bohrer off:>=50
50% off -> off:>=50
ohne refurbished -> -refurbished
ohne Generalüberholte -> -refurbished
keine Gebrauchten -> -used
nicht gebraucht -> -used
kein refurbished -> -refurbished
laptop ohne stift -> laptop -stift
nur neu -> condition:new
nur Neuware -> condition:new
laptop nur neu unter 500 $ -> laptop condition:new price:<500
nur generalüberholt -> refurbished
von einem Partner -> partner:true
nicht von einem Partner -> partner:false
auf Lager -> soldout:false
endet heute -> ends:<24h
endet in weniger als 3 Stunden -> ends:<3h
endet in 2 Tagen -> ends:<2d
under $60 -> price:<60
iPhone 15 -> =
WH-1000XM5 -> =
ssd 4 TB -> =
ssd unter 4 TB -> =
"unter 60 $" -> =
unter armour -> =
max verstappen -> =
bis morgen -> =
ab in den urlaub -> =
20-60 -> =
price:<50 ssd -refurb* -> =
kein mensch -> =
staubsauger unter 60 € -> =
staubsauger unter 60 Euro -> =
von hand -> =
halber liter -> =
`,
  fr: `
aspirateur à moins de 60 $ -> aspirateur price:<60
aspirateur moins de 60 $ -> aspirateur price:<60
aspirateur moins de 60$ -> aspirateur price:<60
aspirateur moins de $60 -> aspirateur price:<60
aspirateur moins de 60 dollars -> aspirateur price:<60
aspirateur moins de 60 USD -> aspirateur price:<60
aspirateur moins de 60 -> aspirateur price:<60
aspirateur pour moins de 60 $ -> aspirateur price:<60
moins de 60 $ aspirateur -> price:<60 aspirateur
aspirateur sous 60 $ -> aspirateur price:<60
aspirateur en dessous de 60 $ -> aspirateur price:<60
aspirateur moins cher que 60 $ -> aspirateur price:<60
aspirateur moins de 50,5 $ -> aspirateur price:<50.5
aspirateur moins de 59,99 dollars -> aspirateur price:<59.99
aspirateur jusqu'à 60 $ -> aspirateur price:<=60
aspirateur jusqu’à 60 $ -> aspirateur price:<=60
aspirateur max 60 $ -> aspirateur price:<=60
aspirateur maximum 60 $ -> aspirateur price:<=60
aspirateur au plus 60 $ -> aspirateur price:<=60
aspirateur max. 60 -> aspirateur price:<=60
portable moins de 1 299 $ -> portable price:<1299
portable moins de 1.299,99 $ -> portable price:<1299.99
portable plus de 500 $ -> portable price:>500
portable à plus de 500 $ -> portable price:>500
portable au-dessus de 500 $ -> portable price:>500
portable à partir de 500 $ -> portable price:>=500
portable dès 500 $ -> portable price:>=500
portable au moins 500 $ -> portable price:>=500
portable minimum 500 $ -> portable price:>=500
télé entre 20 et 60 -> télé price:20..60
télé entre 20 $ et 60 $ -> télé price:20..60
télé de 20 à 60 $ -> télé price:20..60
télé 20 à 60 dollars -> télé price:20..60
télé 20-60 $ -> télé price:20..60
télé 20 $ - 60 $ -> télé price:20..60
prix<60 -> price:<60
prix < 60 -> price:<60
prix <= 60 $ -> price:<=60
prix ≤ 60 -> price:<=60
prix moins de 60 $ -> price:<60
prix : < 60 -> price:<60
price<60 -> price:<60
remise>=40 -> off:>=40
remise > 40 % -> off:>40
réduction >= 40 % -> off:>=40
50 % de réduction -> off:>=50
50% de remise -> off:>=50
casque 50 % de réduction -> casque off:>=50
au moins 40 % de réduction -> off:>=40
plus de 30 % de réduction -> off:>30
moitié prix -> off:>=50
à moitié prix -> off:>=50
perceuse à moitié prix -> perceuse off:>=50
50% off -> off:>=50
sans reconditionné -> -refurbished
sans reconditionnés -> -refurbished
pas de reconditionné -> -refurbished
pas reconditionné -> -refurbished
pas d'occasion -> -used
portable sans stylet -> portable -stylet
neuf uniquement -> condition:new
seulement neuf -> condition:new
uniquement du neuf -> condition:new
portable neuf uniquement moins de 500 $ -> portable condition:new price:<500
reconditionné uniquement -> refurbished
vendu par un partenaire -> partner:true
pas vendu par un partenaire -> partner:false
en stock -> soldout:false
se termine aujourd'hui -> ends:<24h
se termine aujourd’hui -> ends:<24h
finit aujourd'hui -> ends:<24h
se termine dans moins de 3 heures -> ends:<3h
finit dans 2 jours -> ends:<2d
under $60 -> price:<60
iPhone 15 -> =
WH-1000XM5 -> =
ssd 4 TB -> =
ssd moins de 4 TB -> =
"moins de 60 $" -> =
max verstappen -> =
sous vide -> =
plus de confort -> =
de luxe -> =
20-60 -> =
price:<50 ssd -refurb* -> =
entre amis -> =
neuf -> =
moins de bruit -> =
`,
  es: `
aspiradora por menos de 60 $ -> aspiradora price:<60
aspiradora menos de 60 $ -> aspiradora price:<60
aspiradora menos de 60$ -> aspiradora price:<60
aspiradora menos de $60 -> aspiradora price:<60
aspiradora menos de 60 dólares -> aspiradora price:<60
aspiradora menos de 60 dolares -> aspiradora price:<60
aspiradora menos de 60 USD -> aspiradora price:<60
aspiradora menos de 60 -> aspiradora price:<60
menos de 60 $ aspiradora -> price:<60 aspiradora
aspiradora bajo 60 $ -> aspiradora price:<60
aspiradora por debajo de 60 $ -> aspiradora price:<60
aspiradora más barato que 60 $ -> aspiradora price:<60
aspiradora menos de 50,5 $ -> aspiradora price:<50.5
aspiradora menos de 59,99 dólares -> aspiradora price:<59.99
aspiradora hasta 60 $ -> aspiradora price:<=60
aspiradora máximo 60 $ -> aspiradora price:<=60
aspiradora maximo 60 $ -> aspiradora price:<=60
aspiradora como máximo 60 $ -> aspiradora price:<=60
aspiradora max 60 $ -> aspiradora price:<=60
air max 90 -> =
aspiradora máx. 60 $ -> aspiradora price:<=60
portátil menos de 1.299 $ -> portátil price:<1299
portátil menos de 1.299,99 $ -> portátil price:<1299.99
portátil menos de $1,299 -> portátil price:<1299
portátil más de 500 $ -> portátil price:>500
portátil mas de 500 $ -> portátil price:>500
portátil por encima de 500 $ -> portátil price:>500
portátil desde 500 $ -> portátil price:>=500
portátil a partir de 500 $ -> portátil price:>=500
portátil al menos 500 $ -> portátil price:>=500
portátil mínimo 500 $ -> portátil price:>=500
tele entre 20 y 60 -> tele price:20..60
tele entre 20 $ y 60 $ -> tele price:20..60
tele de 20 a 60 $ -> tele price:20..60
tele 20 a 60 dólares -> tele price:20..60
tele 20-60 $ -> tele price:20..60
tele $20 - $60 -> tele price:20..60
precio<60 -> price:<60
precio < 60 -> price:<60
precio <= 60 $ -> price:<=60
precio ≤ 60 -> price:<=60
precio menos de 60 $ -> price:<60
precio: <60 -> price:<60
price<60 -> price:<60
descuento>=40 -> off:>=40
descuento > 40 % -> off:>40
50 % de descuento -> off:>=50
50% de descuento -> off:>=50
auriculares 50 % de descuento -> auriculares off:>=50
al menos 40 % de descuento -> off:>=40
más de 30 % de descuento -> off:>30
mitad de precio -> off:>=50
a mitad de precio -> off:>=50
taladro a mitad de precio -> taladro off:>=50
50% off -> off:>=50
sin reacondicionados -> -refurbished
sin reacondicionado -> -refurbished
nada reacondicionado -> -refurbished
no reacondicionados -> -refurbished
no usados -> -used
portátil sin lápiz -> portátil -lápiz
solo nuevo -> condition:new
solo nuevos -> condition:new
sólo nuevas -> condition:new
portátil solo nuevo menos de 500 $ -> portátil condition:new price:<500
solo reacondicionado -> refurbished
vendido por un socio -> partner:true
no vendido por un socio -> partner:false
en stock -> soldout:false
termina hoy -> ends:<24h
acaba hoy -> ends:<24h
termina en menos de 3 horas -> ends:<3h
termina en 2 días -> ends:<2d
under $60 -> price:<60
iPhone 15 -> =
WH-1000XM5 -> =
ssd 4 TB -> =
ssd menos de 4 TB -> =
"menos de 60 $" -> =
max verstappen -> =
bajo eléctrico -> =
desde cero -> =
más de lo mismo -> =
20-60 -> =
price:<50 ssd -refurb* -> =
entre amigos -> =
nuevo -> =
hasta luego -> =
`,
};

export interface Phrase {
  language: Language;
  written: string;
  /** The same where nothing in it is a phrase. */
  read: string;
}

export const PHRASES: readonly Phrase[] = Object.entries(LINES).flatMap(([language, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [written = '', read = ''] = line.split(' -> ');
      return { language: language as Language, written, read: read === '=' ? written : read };
    }),
);
