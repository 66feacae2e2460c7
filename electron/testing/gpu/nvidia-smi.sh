#!/bin/sh
# A stand-in for nvidia-smi that plays output of the shape that real drivers give. The scene is the one word in the file `scene` beside it.
here=$(dirname "$0")
scene=$(cat "$here/scene")
fields=
every=
for word in "$@"; do
  case $word in
    --query-gpu=*) fields=${word#--query-gpu=} ;;
    --query-compute-apps=*) apps=1 ;;
  esac
  [ "${before:-}" != -l ] || every=$word
  before=$word
done

row() { # index name mig used reserved total busy heat power
  out=
  old_ifs=$IFS
  IFS=,
  for field in $fields; do
    case $field in
      index) cell=$1 ;;
      uuid) cell="GPU-0000000$1-aaaa-bbbb-cccc-dddddddddddd" ;;
      name) cell=$2 ;;
      mig.mode.current) cell=$3 ;;
      memory.used) cell=$4 ;;
      memory.reserved) cell=$5 ;;
      memory.total) cell=$6 ;;
      utilization.gpu) cell=$7 ;;
      temperature.gpu) cell=$8 ;;
      power.draw) cell=$9 ;;
      *) echo "Field \"$field\" is not a valid field to query."; exit 2 ;;
    esac
    out="$out${out:+, }$cell"
  done
  IFS=$old_ifs
  echo "$out"
}

rows() {
  case $scene in
    eight) for gpu in 0 1 2 3 4 5 6 7; do row $gpu 'NVIDIA H100 80GB HBM3' Disabled $((20480 + gpu)) 564 81559 87 $((50 + gpu)) 512.33; done ;;
    mig) row 0 'NVIDIA A100-SXM4-40GB' Enabled 11942 '[N/A]' 40960 '[N/A]' 41 '[Not Supported]' ;;
    old) case ,$fields, in *,memory.reserved,*) echo 'Field "memory.reserved" is not a valid field to query.'; exit 2 ;; esac
      row 0 'Tesla K80' '[N/A]' 62 x 11441 0 38 '[Unknown Error]' ;;
    *) row 0 'NVIDIA GeForce RTX 4090' '[N/A]' 1234 512 24564 3 45 55.01 ;;
  esac
}

case $scene in
  no-gpu) echo 'No devices were found'; exit 6 ;;
  no-driver)
    echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."
    exit 9
    ;;
  hung) exec sleep 600 ;;
esac
if [ -n "${apps:-}" ]; then
  [ "$scene" != eight ] || echo 'GPU-00000000-aaaa-bbbb-cccc-dddddddddddd, 4711, /usr/bin/python3, 20000'
  exit 0
fi
rows
while [ -n "$every" ]; do
  sleep "$every"
  rows
done
