"""Command lines that several tests share."""

from __future__ import annotations

#: One of every form that the network can write.
LINES = """
search red dress with lace
refine longer sleeves
avoid people
forget price
answer no preference
keep colour @2
keep sleeves of #3
keep pattern of this
like #4
unlike this
select #12
filter price < 50
filter price <= 49.5
filter price < #4
filter colour = red | navy blue
filter rooms = 4 | 5
filter taken = "last summer"
sort price asc
rollback 2
more 20
random
count
count cats
describe this
ask what breed is it
why #3
values brand
compare #1 #2
compare this #2
questions off
rotate 270
rotate 12.5 on dog on the left
adjust_attr brightness -40
adjust_attr warmth 10 on sky
adjust_color forestgreen 0.15
recolor paleblue on towel
remove bin on the left
crop 10 10 200 200
crop 16:9
crop on dog
image_cutout on woman on the left
flip horizontal
resize 800x600
resize 800x
resize x600
resize 50%
straighten
straighten -2.5
blur 50 on background
grayscale
border 20 white
border 8 #1a3c6e
caption "happy birthday" bottom
replace_background white
replace_background #3
replace_background "a beach on an island"
undo
undo 3
reset
reset edits
repeat next 3
repeat #2 #5
export "boat.png"
export "picture.png"
chat thanks
""".strip().splitlines()
