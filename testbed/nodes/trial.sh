#!/bin/sh
# Run in namespaces of its own, which end with it: prints a line for each thing that real nodes need and this kernel does not give.
try() {
  what=$1
  shift
  "$@" > /dev/null 2>&1 || echo "$what"
}
try 'mounting /proc for processes of its own' mount -t proc proc /proc
try 'network bridges (CONFIG_BRIDGE)' ip link add trial0 type bridge
try 'pairs of network interfaces (CONFIG_VETH)' ip link add trial1 type veth peer name trial2
try 'nftables with NAT and connection tracking (CONFIG_NF_TABLES, CONFIG_NFT_NAT, CONFIG_NFT_CT, CONFIG_NFT_NUMGEN)' nft '
add table ip trial
add chain ip trial first { type nat hook prerouting priority dstnat; }
add chain ip trial last { type nat hook postrouting priority srcnat; }
add rule ip trial first ct state new meta l4proto tcp numgen random mod 2 0 dnat to 192.0.2.1:80
add rule ip trial last masquerade fully-random
'
folder=/dev/shm
try 'mounting tmpfs' mount -t tmpfs tmpfs "$folder"
mkdir "$folder/lower" "$folder/upper" "$folder/work" "$folder/merged" 2> /dev/null
try 'mounting overlayfs (CONFIG_OVERLAY_FS)' mount -t overlay overlay \
  -o "lowerdir=$folder/lower,upperdir=$folder/upper,workdir=$folder/work" "$folder/merged"
