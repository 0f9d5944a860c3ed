/**
 * A cluster whose nodes really run pods, as processes of this machine: what a chart renders is
 * played as it stands. {@link io.muster.played.PlayedKubelet} starts the containers of pods that
 * are bound to its nodes, with their arguments, environment, volumes, account token and probes;
 * {@link io.muster.played.ServiceNet} plays kube-proxy; {@link io.muster.played.PodNetwork} gives
 * pods addresses. It shows nothing of a real kubelet, CNI or kube-proxy.
 */
package io.muster.played;
