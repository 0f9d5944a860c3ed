#!/bin/sh
# kubexec.sh POD COMMAND...: runs the command in a worker, as ssh would.
#
# Ends as the command ended, and with 137 where nobody told how it did: the stream was cut, the worker is
# gone, its container has ended, its node is silent. Never 0 then: launchers take that for success.
# A stream to a pod that is gone may stay open and silent for ever, so the pod is looked at beside it.
# Needs kubectl and a POSIX shell here, and a shell in the worker.
home=/opt/kube
account=/var/run/secrets/kubernetes.io/serviceaccount
container=@CONTAINER@
# A look takes 4 s at most: a worker that is gone is noticed within 8.
apart=3
lost=137
forbidden_tries=10

pod=$1
shift
work=$home/exec.$$
mark="kubexec.sh $$: $pod"
# What runs in the worker. The line by which it tells how the command ended comes last, on a line of its own.
remote='sh -c "$1"; code=$?; printf "\n%s ended with %s\n" "$2" "$code" >&2; exit "$code"'
shown='{.metadata.uid}|{.status.phase}'
shown="$shown|{.status.containerStatuses[?(@.name==\"$container\")].state.terminated.exitCode}"
shown="$shown|{.spec.readinessGates[*].conditionType}"
shown="$shown|{.status.conditions[?(@.type==\"Ready\")].status}"
shown="$shown|{.status.conditions[?(@.type==\"ContainersReady\")].status}"

say() {
  echo "kubexec.sh: $*" >&2
}

# Says to kubectl who it is: it would find out by itself, but not where it is given a time limit, and not
# where the user has a configuration for another cluster.
introduce() {
  case $KUBERNETES_SERVICE_HOST in
    *:*) server="[$KUBERNETES_SERVICE_HOST]" ;;
    *) server=$KUBERNETES_SERVICE_HOST ;;
  esac
  cat >"$home/config.$$" <<LINES
apiVersion: v1
kind: Config
current-context: pod
clusters:
- name: pod
  cluster: {server: "https://$server:$KUBERNETES_SERVICE_PORT", certificate-authority: $account/ca.crt}
users:
- name: pod
  user: {tokenFile: $account/token}
contexts:
- name: pod
  context: {cluster: pod, user: pod, namespace: "$(cat "$account/namespace")"}
LINES
  mv -f "$home/config.$$" "$home/config"
}

# leave CODE: nothing of ours stays.
leave() {
  trap '' HUP INT TERM
  kill -9 $stream $looks $copy $end 2>/dev/null
  rm -rf "$work"
  exit "$1"
}

# Ends the stream once the worker cannot come to an end of its own, and says why in a file.
look() {
  born=
  while sleep "$apart"; do
    if ! kill -0 $$ 2>/dev/null; then
      kill -9 "$stream" 2>/dev/null
      rm -rf "$work"
      return
    fi
    # Who cannot be asked is not gone.
    seen=$("$home/kubectl" --kubeconfig="$home/config" --cache-dir="$home/cache" --request-timeout=4s \
      get pod "$pod" --ignore-not-found -o "jsonpath=$shown" </dev/null 2>/dev/null) || continue
    IFS='|' read -r uid phase terminated gates ready containers <<LINE
$seen
LINE
    : "${born:=$uid}"
    why=
    if [ -z "$uid" ] || [ "$uid" != "$born" ]; then
      why="the pod is gone"
    elif [ "$phase" = Succeeded ] || [ "$phase" = Failed ]; then
      why="the pod has ended"
    elif [ -n "$terminated" ]; then
      why="its container has ended"
    elif [ -z "$gates" ] && [ "$ready" = False ] && [ "$containers" = True ]; then
      # Nobody but the controller that watches nodes says so of a pod.
      why="its node is silent"
    fi
    if [ -n "$why" ]; then
      echo "$why" >"$work/lost"
      kill -9 "$stream" 2>/dev/null
      return
    fi
  done
}

# Runs the command once; leaves how it ended in $code, empty if that was not told, and the end of what was
# printed as errors in $work/last.
run() {
  rm -rf "$work"
  # Who reads the pipes has to be there until the end, and what they carry goes on byte by byte.
  mkdir "$work" && mkfifo "$work/errors" "$work/copy" || leave "$lost"
  "$home/kubectl" --kubeconfig="$home/config" exec "$pod" --container "$container" -- \
    sh -c "$remote" sh "$*" "$mark" </dev/null 2>"$work/errors" &
  stream=$!
  tee "$work/copy" <"$work/errors" >&2 &
  copy=$!
  tail -c 4000 <"$work/copy" >"$work/last" &
  end=$!
  look </dev/null >/dev/null 2>&1 &
  looks=$!
  wait "$stream"
  ended=$?
  kill -9 "$looks" 2>/dev/null
  if [ -s "$work/lost" ]; then
    say "$pod: $(cat "$work/lost")"
    leave "$lost"
  fi
  wait "$end"
  code=$(sed -n "s/^$mark ended with \([0-9][0-9]*\)\$/\1/p" "$work/last" | tail -n 1)
}

stream= looks= copy= end=
trap 'leave 129' HUP
trap 'leave 130' INT
trap 'leave 143' TERM

[ -s "$home/config" ] || introduce
run "$@"
# A right just given may take a moment to be in force everywhere; nothing has run then.
while [ -z "$code" ] && [ "$forbidden_tries" -gt 0 ]; do
  case $(cat "$work/last") in
    "Error from server (Forbidden): pods \"$pod\" is forbidden: "*) ;;
    "error: unable to upgrade connection: pods \"$pod\" is forbidden: "*) ;;
    *) break ;;
  esac
  forbidden_tries=$((forbidden_tries - 1))
  sleep 1
  run "$@"
done
if [ -z "$code" ]; then
  say "$pod: how the command ended was not told; kubectl ended with $ended"
  code=$lost
fi
leave "$code"
