;; The inner loops of resizing: every new pixel is a weighted sum of old ones in a row, then of such sums in a column.
;;
;; Pixels have four bytes. Weights are 16-bit numbers with 14 binary digits after the point; they come in pairs, because
;; the processor multiplies and adds two at a time (i32x4.dot_i16x8_s).
(module
  (memory (export "memory") 1)

  ;; One row of $count new pixels after another. For each new pixel, $starts has the place of its first old one in the row,
  ;; in bytes, and $weights has $pairs pairs of weights, four bytes a pair.
  (func (export "across")
    (param $from i32) (param $from_end i32) (param $stride i32) (param $to i32) (param $count i32)
    (param $starts i32) (param $weights i32) (param $pairs i32)
    (local $start i32) (local $weight i32) (local $weight_end i32) (local $to_end i32) (local $at i32) (local $sum v128)
    (loop $rows
      (local.set $start (local.get $starts))
      (local.set $weight (local.get $weights))
      (local.set $to_end (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 2))))
      (loop $pixels
        (local.set $at (i32.add (local.get $from) (i32.load (local.get $start))))
        (local.set $weight_end (i32.add (local.get $weight) (i32.shl (local.get $pairs) (i32.const 2))))
        (local.set $sum (v128.const i32x4 8192 8192 8192 8192))
        (loop $taps
          ;; Two pixels side by side, channel by channel: red and red, green and green ...
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.dot_i16x8_s
                (i8x16.shuffle 0 16 4 16 1 16 5 16 2 16 6 16 3 16 7 16
                  (v128.load64_zero (local.get $at)) (v128.const i32x4 0 0 0 0))
                (v128.load32_splat (local.get $weight)))))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
          (br_if $taps (i32.lt_u (local.get $weight) (local.get $weight_end))))
        (local.set $sum (i32x4.shr_s (local.get $sum) (i32.const 14)))
        (local.set $sum (i16x8.narrow_i32x4_s (local.get $sum) (local.get $sum)))
        (v128.store32_lane 0 (local.get $to) (i8x16.narrow_i16x8_u (local.get $sum) (local.get $sum)))
        (local.set $start (i32.add (local.get $start) (i32.const 4)))
        (local.set $to (i32.add (local.get $to) (i32.const 4)))
        (br_if $pixels (i32.lt_u (local.get $to) (local.get $to_end))))
      (local.set $from (i32.add (local.get $from) (local.get $stride)))
      (br_if $rows (i32.lt_u (local.get $from) (local.get $from_end)))))

  ;; Several new rows of $width bytes. For each, $starts has the number of its first old row; the first that lies in the
  ;; memory, at $from, has the number $first.
  (func (export "down")
    (param $from i32) (param $first i32) (param $stride i32) (param $to i32) (param $width i32)
    (param $starts i32) (param $starts_end i32) (param $weights i32) (param $pairs i32)
    (loop $rows
      (call $row
        (i32.add (local.get $from)
          (i32.mul (i32.sub (i32.load (local.get $starts)) (local.get $first)) (local.get $stride)))
        (local.get $stride)
        (local.get $to) (i32.add (local.get $to) (local.get $width))
        (local.get $weights) (local.get $pairs))
      (local.set $to (i32.add (local.get $to) (local.get $width)))
      (local.set $weights (i32.add (local.get $weights) (i32.shl (local.get $pairs) (i32.const 2))))
      (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
      (br_if $rows (i32.lt_u (local.get $starts) (local.get $starts_end)))))

  ;; One new row, sixteen bytes at a time: up to fifteen more than $to_end asks for are written.
  (func $row
    (param $from i32) (param $stride i32) (param $to i32) (param $to_end i32) (param $weights i32) (param $pairs i32)
    (local $weight i32) (local $weight_end i32) (local $at i32) (local $pair v128) (local $both v128)
    (local $upper v128) (local $lower v128)
    (local $first v128) (local $second v128) (local $third v128) (local $fourth v128)
    (local.set $weight_end (i32.add (local.get $weights) (i32.shl (local.get $pairs) (i32.const 2))))
    (loop $next
      (local.set $at (local.get $from))
      (local.set $weight (local.get $weights))
      (local.set $first (v128.const i32x4 8192 8192 8192 8192))
      (local.set $second (local.get $first))
      (local.set $third (local.get $first))
      (local.set $fourth (local.get $first))
      (loop $taps
        (local.set $pair (v128.load32_splat (local.get $weight)))
        (local.set $upper (v128.load (local.get $at)))
        (local.set $lower (v128.load (i32.add (local.get $at) (local.get $stride))))
        ;; Bytes of two rows in turn, so that each pair meets its pair of weights.
        (local.set $both
          (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $upper) (local.get $lower)))
        (local.set $first
          (i32x4.add (local.get $first)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_u (local.get $both)) (local.get $pair))))
        (local.set $second
          (i32x4.add (local.get $second)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_u (local.get $both)) (local.get $pair))))
        (local.set $both
          (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $upper) (local.get $lower)))
        (local.set $third
          (i32x4.add (local.get $third)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_u (local.get $both)) (local.get $pair))))
        (local.set $fourth
          (i32x4.add (local.get $fourth)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_u (local.get $both)) (local.get $pair))))
        (local.set $at (i32.add (local.get $at) (i32.shl (local.get $stride) (i32.const 1))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
        (br_if $taps (i32.lt_u (local.get $weight) (local.get $weight_end))))
      (v128.store
        (local.get $to)
        (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_s
            (i32x4.shr_s (local.get $first) (i32.const 14)) (i32x4.shr_s (local.get $second) (i32.const 14)))
          (i16x8.narrow_i32x4_s
            (i32x4.shr_s (local.get $third) (i32.const 14)) (i32x4.shr_s (local.get $fourth) (i32.const 14)))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $to_end))))))
