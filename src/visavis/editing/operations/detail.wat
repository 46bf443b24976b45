;; The inner loops of a narrow blur and of its opposite: every byte becomes the weighted mean of itself and its neighbours to both sides.
;;
;; The same loop goes down (neighbours are a row apart) and across (they are a pixel apart). Weights are whole 256ths that
;; add up to 256, so the sums of bytes fit into 16 bits, eight of them side by side.
(module
  (memory (export "memory") 1)

  ;; $weights points to eight 16-bit lanes for each distance from 0 to $reach, all eight the same.
  ;; $from .. $end is read in steps of 16 bytes, so both places need room for 15 bytes more than are asked for.
  (func (export "soften")
    (param $from i32) (param $end i32) (param $to i32) (param $apart i32) (param $weights i32) (param $weights_end i32)
    (local $near i32) (local $far i32) (local $weight i32) (local $low v128) (local $high v128)
    (loop $next
      (local.set $low
        (i16x8.add
          (v128.const i16x8 128 128 128 128 128 128 128 128)
          (i16x8.mul (v128.load8x8_u (local.get $from)) (v128.load (local.get $weights)))))
      (local.set $high
        (i16x8.add
          (v128.const i16x8 128 128 128 128 128 128 128 128)
          (i16x8.mul (v128.load8x8_u offset=8 (local.get $from)) (v128.load (local.get $weights)))))
      (local.set $near (local.get $from))
      (local.set $far (local.get $from))
      (local.set $weight (i32.add (local.get $weights) (i32.const 16)))
      (loop $further
        (local.set $near (i32.sub (local.get $near) (local.get $apart)))
        (local.set $far (i32.add (local.get $far) (local.get $apart)))
        (local.set $low
          (i16x8.add
            (local.get $low)
            (i16x8.mul
              (i16x8.add (v128.load8x8_u (local.get $near)) (v128.load8x8_u (local.get $far)))
              (v128.load (local.get $weight)))))
        (local.set $high
          (i16x8.add
            (local.get $high)
            (i16x8.mul
              (i16x8.add (v128.load8x8_u offset=8 (local.get $near)) (v128.load8x8_u offset=8 (local.get $far)))
              (v128.load (local.get $weight)))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
        (br_if $further (i32.lt_u (local.get $weight) (local.get $weights_end))))
      (v128.store
        (local.get $to)
        (i8x16.narrow_i16x8_u
          (i16x8.shr_u (local.get $low) (i32.const 8))
          (i16x8.shr_u (local.get $high) (i32.const 8))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))

  ;; What the blur took away, given back $strength 128ths stronger: soft bytes from $from up to $end are replaced.
  (func (export "strengthen") (param $from i32) (param $end i32) (param $sharp i32) (param $strength i32)
    (local $factor v128)
    (local.set $factor (i16x8.splat (local.get $strength)))
    (loop $next
      (v128.store
        (local.get $from)
        (i8x16.narrow_i16x8_u
          (call $stronger
            (v128.load8x8_u (local.get $sharp)) (v128.load8x8_u (local.get $from)) (local.get $factor))
          (call $stronger
            (v128.load8x8_u offset=8 (local.get $sharp)) (v128.load8x8_u offset=8 (local.get $from)) (local.get $factor))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $sharp (i32.add (local.get $sharp) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))

  (func $stronger (param $sharp v128) (param $soft v128) (param $factor v128) (result v128)
    (i16x8.add
      (local.get $sharp)
      (i16x8.shr_s
        (i16x8.add
          (v128.const i16x8 64 64 64 64 64 64 64 64)
          (i16x8.mul (i16x8.sub (local.get $sharp) (local.get $soft)) (local.get $factor)))
        (i32.const 7)))))
