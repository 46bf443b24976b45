;; Filling a hole by patches of 7 x 7 pixels (PatchMatch; Barnes et al. 2009): every place looks for a patch elsewhere that
;; resembles what is there now, then all patches over a pixel vote for its colour.
;;
;; Planes of the same size, row by row with a margin of five pixels that belongs to nothing:
;;   $image   four bytes a pixel: red, green, blue, and how much texture there is around it
;;   $trust   a byte a pixel: how much it counts when patches are compared (0..127); 128 more where a source may lie
;;   $source  the pixel number of each place's source, or -1
;;   $cost    float: how different that source is; for the vote, how much the place has to say
(module
  (memory (export "memory") 1)
  (global $width (mut i32) (i32.const 0))
  (global $height (mut i32) (i32.const 0))
  (global $image (mut i32) (i32.const 0))
  (global $trust (mut i32) (i32.const 0))
  (global $source (mut i32) (i32.const 0))
  (global $cost (mut i32) (i32.const 0))
  ;; What a pixel of distance costs.
  (global $far (mut f32) (f32.const 0))
  (global $random (mut i32) (i32.const 1))
  ;; The place in hand: its patch lies at 0 and the weights at 448, eight 16-bit lanes for two pixels.
  (global $place (mut i32) (i32.const 0))
  (global $total (mut f32) (f32.const 0))
  (global $best (mut i32) (i32.const 0))
  (global $least (mut f32) (f32.const 0))

  (func (export "begin")
    (param $width i32) (param $height i32) (param $image i32) (param $trust i32) (param $source i32) (param $cost i32)
    (param $seed i32) (param $far i32)
    (global.set $width (local.get $width))
    (global.set $height (local.get $height))
    (global.set $image (local.get $image))
    (global.set $trust (local.get $trust))
    (global.set $source (local.get $source))
    (global.set $cost (local.get $cost))
    (global.set $random (local.get $seed))
    (global.set $far
      (f32.div (f32.convert_i32_s (local.get $far)) (f32.convert_i32_s (i32.add (local.get $width) (local.get $height))))))

  ;; A whole number from -$reach to $reach (xorshift).
  (func $chance (param $reach i32) (result i32)
    (local $value i32)
    (local.set $value (global.get $random))
    (local.set $value (i32.xor (local.get $value) (i32.shl (local.get $value) (i32.const 13))))
    (local.set $value (i32.xor (local.get $value) (i32.shr_u (local.get $value) (i32.const 17))))
    (local.set $value (i32.xor (local.get $value) (i32.shl (local.get $value) (i32.const 5))))
    (global.set $random (local.get $value))
    (i32.sub
      (i32.rem_u (i32.shr_u (local.get $value) (i32.const 4)) (i32.add (i32.shl (local.get $reach) (i32.const 1)) (i32.const 1)))
      (local.get $reach)))

  ;; Take a place in hand.
  (func $take (param $place i32)
    (local $row i32) (local $pixel i32) (local $to i32) (local $group i32) (local $weights v128) (local $sums v128)
    (global.set $place (local.get $place))
    (local.set $pixel (i32.sub (local.get $place) (i32.add (i32.mul (global.get $width) (i32.const 3)) (i32.const 3))))
    (loop $rows
      (local.set $group (i32.const 0))
      (loop $pairs
        (v128.store
          (local.get $to)
          (v128.load8x8_u
            (i32.add (global.get $image) (i32.shl (i32.add (local.get $pixel) (local.get $group)) (i32.const 2)))))
        (local.set $weights
          (v128.and
            (i8x16.shuffle 0 16 0 16 0 16 0 16 1 16 1 16 1 16 1 16
              (v128.load16_splat (i32.add (i32.add (global.get $trust) (local.get $pixel)) (local.get $group)))
              (v128.const i32x4 0 0 0 0))
            (v128.const i16x8 127 127 127 127 127 127 127 127)))
        (if (i32.eq (local.get $group) (i32.const 6))  ;; the eighth pixel is not of the patch
          (then
            (local.set $weights (v128.and (local.get $weights) (v128.const i16x8 -1 -1 -1 -1 0 0 0 0)))))
        (v128.store offset=448 (local.get $to) (local.get $weights))
        (local.set $sums (i16x8.add (local.get $sums) (local.get $weights)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $group (i32.add (local.get $group) (i32.const 2)))
        (br_if $pairs (i32.lt_u (local.get $group) (i32.const 8))))
      (local.set $pixel (i32.add (local.get $pixel) (global.get $width)))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $row) (i32.const 7))))
    (global.set $total
      (f32.convert_i32_u
        (i32.add
          (i32.const 1)
          (i32.add (i16x8.extract_lane_u 0 (local.get $sums)) (i16x8.extract_lane_u 4 (local.get $sums)))))))

  ;; The weighted sum of squares between the place in hand and a source; one above $limit need not be whole.
  (func $apart (param $from i32) (param $limit i32) (result i32)
    (local $at i32) (local $sum v128) (local $folded v128) (local $apart v128) (local $result i32)
    (local.set $from
      (i32.add
        (global.get $image)
        (i32.shl
          (i32.sub (local.get $from) (i32.add (i32.mul (global.get $width) (i32.const 3)) (i32.const 3)))
          (i32.const 2))))
    (loop $rows
      (local.set $apart (i16x8.sub (v128.load8x8_u (local.get $from)) (v128.load (local.get $at))))
      (local.set $sum
        (i32x4.add
          (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $apart) (i16x8.mul (local.get $apart) (v128.load offset=448 (local.get $at))))))
      (local.set $apart (i16x8.sub (v128.load8x8_u offset=8 (local.get $from)) (v128.load offset=16 (local.get $at))))
      (local.set $sum
        (i32x4.add
          (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $apart) (i16x8.mul (local.get $apart) (v128.load offset=464 (local.get $at))))))
      (local.set $apart (i16x8.sub (v128.load8x8_u offset=16 (local.get $from)) (v128.load offset=32 (local.get $at))))
      (local.set $sum
        (i32x4.add
          (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $apart) (i16x8.mul (local.get $apart) (v128.load offset=480 (local.get $at))))))
      (local.set $apart (i16x8.sub (v128.load8x8_u offset=24 (local.get $from)) (v128.load offset=48 (local.get $at))))
      (local.set $sum
        (i32x4.add
          (local.get $sum)
          (i32x4.dot_i16x8_s (local.get $apart) (i16x8.mul (local.get $apart) (v128.load offset=496 (local.get $at))))))
      (local.set $folded
        (i32x4.add (local.get $sum) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum))))
      (local.set $result
        (i32.add (i32x4.extract_lane 0 (local.get $folded)) (i32x4.extract_lane 1 (local.get $folded))))
      (local.set $from (i32.add (local.get $from) (i32.shl (global.get $width) (i32.const 2))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $rows
        (i32.and
          (i32.lt_u (local.get $at) (i32.const 448))
          (i32.lt_s (local.get $result) (local.get $limit)))))
    (local.get $result))

  ;; Keep a source for the place in hand if it is better than the best so far.
  (func $try (param $row i32) (param $column i32)
    (local $pixel i32) (local $near f32) (local $down f32) (local $across f32) (local $limit f32) (local $found f32)
    (if (i32.or (i32.ge_u (local.get $row) (global.get $height)) (i32.ge_u (local.get $column) (global.get $width)))
      (then (return)))
    (local.set $pixel (i32.add (i32.mul (local.get $row) (global.get $width)) (local.get $column)))
    (if (i32.or
          (i32.eq (local.get $pixel) (global.get $best))
          (i32.lt_u (i32.load8_u (i32.add (global.get $trust) (local.get $pixel))) (i32.const 128)))
      (then (return)))
    ;; What lies at the same height is more alike than what lies above or below it.
    (local.set $down
      (f32.mul
        (f32.const 3)
        (f32.convert_i32_s (i32.sub (local.get $row) (i32.div_u (global.get $place) (global.get $width))))))
    (local.set $across
      (f32.convert_i32_s (i32.sub (local.get $column) (i32.rem_u (global.get $place) (global.get $width)))))
    (local.set $near
      (f32.mul
        (global.get $far)
        (f32.sqrt (f32.add (f32.mul (local.get $down) (local.get $down)) (f32.mul (local.get $across) (local.get $across))))))
    (local.set $limit (f32.mul (f32.sub (global.get $least) (local.get $near)) (global.get $total)))
    (if (f32.le (local.get $limit) (f32.const 0)) (then (return)))
    (local.set $found
      (f32.add
        (local.get $near)
        (f32.div
          (f32.convert_i32_s
            (call $apart (local.get $pixel) (i32.trunc_sat_f32_s (local.get $limit))))
          (global.get $total))))
    (if (f32.lt (local.get $found) (global.get $least))
      (then
        (global.set $least (local.get $found))
        (global.set $best (local.get $pixel)))))

  ;; Begin with the source that the place has, if it has one.
  (func $recall
    (local $known i32)
    (local.set $known (i32.load (i32.add (global.get $source) (i32.shl (global.get $place) (i32.const 2)))))
    (global.set $least (f32.const 1e9))
    (global.set $best (i32.const -1))
    (if (i32.ge_s (local.get $known) (i32.const 0))
      (then
        (call $try
          (i32.div_u (local.get $known) (global.get $width))
          (i32.rem_u (local.get $known) (global.get $width))))))

  (func $keep
    (i32.store (i32.add (global.get $source) (i32.shl (global.get $place) (i32.const 2))) (global.get $best))
    (f32.store (i32.add (global.get $cost) (i32.shl (global.get $place) (i32.const 2))) (global.get $least)))

  ;; Try what the neighbour at a distance found, moved by that distance.
  (func $ask (param $down i32) (param $across i32)
    (local $found i32)
    (local.set $found
      (i32.load
        (i32.add
          (global.get $source)
          (i32.shl
            (i32.add (global.get $place) (i32.add (i32.mul (local.get $down) (global.get $width)) (local.get $across)))
            (i32.const 2)))))
    (if (i32.ge_s (local.get $found) (i32.const 0))
      (then
        (call $try
          (i32.sub (i32.div_u (local.get $found) (global.get $width)) (local.get $down))
          (i32.sub (i32.rem_u (local.get $found) (global.get $width)) (local.get $across))))))

  ;; One pass over places (a list of pixel numbers): forwards (4) with what left and upper neighbours found, backwards (-4) with
  ;; the others; then sources at random around the best, from $reach pixels away down to one.
  (func (export "search") (param $from i32) (param $end i32) (param $step i32) (param $reach i32)
    (local $sign i32) (local $around i32)
    (local.set $sign (select (i32.const -1) (i32.const 1) (i32.gt_s (local.get $step) (i32.const 0))))
    (loop $next
      (call $take (i32.load (local.get $from)))
      (call $recall)
      (call $ask (i32.const 0) (local.get $sign))
      (call $ask (local.get $sign) (i32.const 0))
      (if (i32.ge_s (global.get $best) (i32.const 0))
        (then
          (local.set $around (local.get $reach))
          (block $done
            (loop $closer
              (br_if $done (i32.lt_s (local.get $around) (i32.const 1)))
              (call $try
                (i32.add (i32.div_u (global.get $best) (global.get $width)) (call $chance (local.get $around)))
                (i32.add (i32.rem_u (global.get $best) (global.get $width)) (call $chance (local.get $around))))
              (local.set $around (i32.shr_u (local.get $around) (i32.const 1)))
              (br $closer)))))
      (call $keep)
      (local.set $from (i32.add (local.get $from) (local.get $step)))
      (br_if $next (i32.ne (local.get $from) (local.get $end)))))

  ;; The best of all sources in a list for each of the places in another.
  (func (export "compare") (param $from i32) (param $end i32) (param $first i32) (param $last i32)
    (local $at i32) (local $pixel i32)
    (loop $next
      (call $take (i32.load (local.get $from)))
      (call $recall)
      (local.set $at (local.get $first))
      (loop $other
        (local.set $pixel (i32.load (local.get $at)))
        (call $try
          (i32.div_u (local.get $pixel) (global.get $width))
          (i32.rem_u (local.get $pixel) (global.get $width)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br_if $other (i32.lt_u (local.get $at) (local.get $last))))
      (call $keep)
      (local.set $from (i32.add (local.get $from) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Every pixel of a list gets the weighted mean of what the patches over it show there. $shares points to 49 floats: how much
  ;; a patch has to say by where the pixel lies in it. Where no patch lies over it, the pixel stays.
  (func (export "vote") (param $from i32) (param $end i32) (param $shares i32) (param $to i32)
    (local $pixel i32) (local $row i32) (local $column i32) (local $beside i32) (local $known i32) (local $share i32)
    (local $weight f32) (local $total f32) (local $sum v128)
    (loop $next
      (local.set $pixel (i32.load (local.get $from)))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $total (f32.const 0))
      (local.set $share (local.get $shares))
      (local.set $row (i32.const -3))
      (loop $rows
        (local.set $column (i32.const -3))
        (loop $columns
          (local.set $beside (i32.add (i32.mul (local.get $row) (global.get $width)) (local.get $column)))
          (local.set $known
            (i32.load
              (i32.add
                (global.get $source)
                (i32.shl (i32.add (local.get $pixel) (local.get $beside)) (i32.const 2)))))
          (if (i32.ge_s (local.get $known) (i32.const 0))
            (then
              (local.set $weight
                (f32.mul
                  (f32.load (local.get $share))
                  (f32.load
                    (i32.add
                      (global.get $cost)
                      (i32.shl (i32.add (local.get $pixel) (local.get $beside)) (i32.const 2))))))
              (local.set $total (f32.add (local.get $total) (local.get $weight)))
              (local.set $sum
                (f32x4.add
                  (local.get $sum)
                  (f32x4.mul
                    (f32x4.splat (local.get $weight))
                    (f32x4.convert_i32x4_u
                      (i32x4.extend_low_i16x8_u
                        (i16x8.extend_low_i8x16_u
                          (v128.load32_zero
                            (i32.add
                              (global.get $image)
                              (i32.shl (i32.sub (local.get $known) (local.get $beside)) (i32.const 2))))))))))))
          (local.set $share (i32.add (local.get $share) (i32.const 4)))
          (local.set $column (i32.add (local.get $column) (i32.const 1)))
          (br_if $columns (i32.le_s (local.get $column) (i32.const 3))))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $rows (i32.le_s (local.get $row) (i32.const 3))))
      (if (f32.gt (local.get $total) (f32.const 0))
        (then
          (v128.store32_lane 0
            (local.get $to)
            (i8x16.narrow_i16x8_u
              (i16x8.narrow_i32x4_u
                (i32x4.trunc_sat_f32x4_u
                  (f32x4.add
                    (f32x4.div (local.get $sum) (f32x4.splat (local.get $total)))
                    (f32x4.splat (f32.const 0.5))))
                (v128.const i32x4 0 0 0 0))
              (v128.const i32x4 0 0 0 0)))))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (local.set $from (i32.add (local.get $from) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))))
