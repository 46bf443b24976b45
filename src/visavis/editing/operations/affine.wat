;; The inner loop of turning: every new pixel is the bilinear mean of the four old ones around its place.
;;
;; Places are 64-bit numbers with 32 binary digits after the point; weights are sixteenths of a pixel, so a pixel's four
;; weights add up to 256 and the sums of four channels fit into 16 bits. Whole numbers only: the result is the same on
;; every machine, which is what lets a replayed edit be compared by its bytes.
(module
  (memory (export "memory") 1)

  ;; Two tables that the other side writes before anything else (affine.py), eight 16-bit lanes to an entry:
  ;;   at 0:   for each of 16 places between two columns, the weight of the left pixel four times, then of the right;
  ;;   at 256: for each of 16 places between two rows, the weight of the upper row eight times, then of the lower.

  ;; Pixels of one row, from $out up to $end.
  (func $run
    (param $source i32) (param $stride i32)
    (param $x i64) (param $y i64) (param $step_x i64) (param $step_y i64)
    (param $out i32) (param $end i32)
    (local $upper i32) (local $weights i32) (local $mean v128)
    (loop $next
      ;; The upper left of the four pixels.
      (local.set $upper
        (i32.add (local.get $source)
          (i32.add
            (i32.mul (i32.wrap_i64 (i64.shr_u (local.get $y) (i64.const 32))) (local.get $stride))
            (i32.shl (i32.wrap_i64 (i64.shr_u (local.get $x) (i64.const 32))) (i32.const 2)))))
      ;; The mean of the upper and the lower row, for the left pixel (four lanes) and the right one (four lanes) ...
      (local.set $weights
        (i32.and (i32.wrap_i64 (i64.shr_u (local.get $y) (i64.const 23))) (i32.const 0x1e0)))
      (local.set $mean
        (i16x8.add
          (i16x8.mul
            (i16x8.extend_low_i8x16_u (v128.load64_zero (local.get $upper)))
            (v128.load offset=256 (local.get $weights)))
          (i16x8.mul
            (i16x8.extend_low_i8x16_u (v128.load64_zero (i32.add (local.get $upper) (local.get $stride))))
            (v128.load offset=272 (local.get $weights)))))
      ;; ... and of these two, rounded.
      (local.set $weights
        (i32.and (i32.wrap_i64 (i64.shr_u (local.get $x) (i64.const 24))) (i32.const 0xf0)))
      (local.set $mean (i16x8.mul (local.get $mean) (v128.load (local.get $weights))))
      (local.set $mean
        (i16x8.add
          (local.get $mean)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $mean) (local.get $mean))))
      (local.set $mean (i16x8.add (local.get $mean) (v128.const i16x8 128 128 128 128 128 128 128 128)))
      (local.set $mean (i16x8.shr_u (local.get $mean) (i32.const 8)))
      (v128.store32_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $mean) (local.get $mean)))

      (local.set $x (i64.add (local.get $x) (local.get $step_x)))
      (local.set $y (i64.add (local.get $y) (local.get $step_y)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $out) (local.get $end)))))

  ;; Several rows of the result. They are computed in columns of $tile pixels, because the source pixels of a slanted run
  ;; lie on as many lines of the cache as the run crosses rows, and the run below needs nearly the same ones.
  ;; $row points to 24 bytes for each row: the place of its first pixel (x, y), and which of its pixels to compute (from,
  ;; and up to).
  (func (export "rows")
    (param $source i32) (param $stride i32) (param $step_x i64) (param $step_y i64)
    (param $rows i32) (param $rows_end i32) (param $out i32) (param $width i32) (param $tile i32)
    (local $left i32) (local $right i32) (local $row i32) (local $line i32) (local $from i32) (local $to i32)
    (loop $tiles
      (local.set $right (i32.add (local.get $left) (local.get $tile)))
      (local.set $row (local.get $rows))
      (local.set $line (local.get $out))
      (loop $lines
        (local.set $from (call $larger (i32.load offset=16 (local.get $row)) (local.get $left)))
        (local.set $to (call $smaller (i32.load offset=20 (local.get $row)) (local.get $right)))
        (if (i32.lt_s (local.get $from) (local.get $to)) (then
          (call $run
            (local.get $source) (local.get $stride)
            (i64.add (i64.load (local.get $row)) (i64.mul (i64.extend_i32_s (local.get $from)) (local.get $step_x)))
            (i64.add (i64.load offset=8 (local.get $row)) (i64.mul (i64.extend_i32_s (local.get $from)) (local.get $step_y)))
            (local.get $step_x) (local.get $step_y)
            (i32.add (local.get $line) (i32.shl (local.get $from) (i32.const 2)))
            (i32.add (local.get $line) (i32.shl (local.get $to) (i32.const 2))))))
        (local.set $line (i32.add (local.get $line) (i32.shl (local.get $width) (i32.const 2))))
        (local.set $row (i32.add (local.get $row) (i32.const 24)))
        (br_if $lines (i32.lt_u (local.get $row) (local.get $rows_end))))
      (local.set $left (local.get $right))
      (br_if $tiles (i32.lt_s (local.get $left) (local.get $width)))))

  (func $larger (param $one i32) (param $other i32) (result i32)
    (select (local.get $one) (local.get $other) (i32.gt_s (local.get $one) (local.get $other))))
  (func $smaller (param $one i32) (param $other i32) (result i32)
    (select (local.get $one) (local.get $other) (i32.lt_s (local.get $one) (local.get $other)))))
