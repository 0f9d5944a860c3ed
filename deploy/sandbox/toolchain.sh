# Sourced by the scripts of deploy: finds the tools of the build, or says in one sentence which is
# missing and what would fix it, and ends the script with exit code 2.
#
#   require_jdk     sets JAVA, the java program of a JDK 25
#   require_maven   Maven 3.8.7 or newer on PATH
#   require_go      Go 1.26 or newer on PATH
#   require_control_plane   Go, unless the programs of the sandbox were built before or are given
#   is_built        whether the project was packaged, at whatever age
#   build_muster    packages the project when the jar is missing or older than the sources
#   package_muster packages it in any case
#   print_help      what the comment at the head of the script says
#   make_aot_cache  deploy/aot-cache, when what it makes is missing or older than the jar
#   make_tar FILE FOLDER NAME...   an archive with the same bytes for the same content, whatever the times
#   run_java [-D...] CLASS ARGUMENTS   becomes that program of the test tree; after require_jdk

muster_deploy="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
muster_root="$(cd "$muster_deploy/.." && pwd)"
muster_cache="${MUSTER_SANDBOX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muster/sandbox}"

print_help() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[1]}"
}

missing() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# version_at_least WANTED FOUND: compares dotted numbers.
version_at_least() {
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

is_jdk_25() {
  [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] &&
    "$1/bin/java" -version 2>&1 | head -n 1 | grep -q '"25[."]'
}

require_jdk() {
  local home on_path
  on_path="$(command -v java || true)"
  [ -n "$on_path" ] && on_path="$(readlink -f "$on_path")"
  for home in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/*25* "${on_path%/bin/java}"; do
    if [ -n "$home" ] && is_jdk_25 "$home"; then
      JAVA="$home/bin/java"
      return
    fi
  done
  missing "a JDK 25 is needed and none was found: install one (https://adoptium.net has it) and set" \
    "JAVA25_HOME to its folder."
}

require_maven() {
  local found
  found="$(mvn --version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9][0-9.]*\).*/\1/p' | head -n 1)" || true
  [ -n "$found" ] ||
    missing "Maven 3.8.7 or newer is needed and there is no mvn on PATH: install the package maven."
  version_at_least 3.8.7 "$found" ||
    missing "Maven 3.8.7 or newer is needed and mvn on PATH is $found: install a newer one" \
      "(https://maven.apache.org/download.cgi) and put it first on PATH."
}

require_go() {
  local found
  found="$(go version 2>/dev/null | sed -n 's/^go version go\([0-9][0-9.]*\).*/\1/p')" || true
  [ -n "$found" ] ||
    missing "Go 1.26 or newer is needed once to build the control plane and there is no go on PATH:" \
      "install it from https://go.dev/dl, or point KUBEBUILDER_ASSETS at a folder with ready programs."
  version_at_least 1.26 "$found" ||
    missing "Go 1.26 or newer is needed once to build the control plane and go on PATH is $found:" \
      "install a newer one from https://go.dev/dl and put it first on PATH."
}

# The sandbox itself decides which programs it has to build; this only spares the wait before it says
# that Go is missing.
require_control_plane() {
  [ -n "${KUBEBUILDER_ASSETS:-}" ] || compgen -G "$muster_cache/*/bin/kube-apiserver" >/dev/null ||
    require_go
}

is_built() {
  [ -f "$muster_deploy/target/muster.jar" ] && [ -f "$muster_deploy/target/test-classpath.txt" ] &&
    [ -d "$muster_deploy/target/test-classes/io/muster/sandbox" ]
}

build_muster() {
  local jar="$muster_deploy/target/muster.jar"
  if is_built &&
    [ -z "$(find "$muster_root"/*/src "$muster_deploy/simulator/src" "$muster_root"/*/pom.xml "$muster_root/pom.xml" \
      -type f -newer "$jar" -print -quit)" ]; then
    return
  fi
  package_muster
}

package_muster() {
  local jar="$muster_deploy/target/muster.jar"
  require_maven
  echo "${0##*/}: building Muster" >&2
  if ! (cd "$muster_root" && mvn -q -B -DskipTests package >&2); then
    echo "${0##*/}: the build of Muster failed; the reason is above." >&2
    exit 1
  fi
  # The jar plugin leaves an unchanged jar alone.
  touch "$jar"
}

make_aot_cache() {
  [ "$muster_deploy/target/muster.aot" -nt "$muster_deploy/target/muster.jar" ] || {
    echo "${0##*/}: rehearsing, so that Muster starts as it is meant to" >&2
    "$muster_deploy/aot-cache" >&2
  }
}

make_tar() {
  local file="$1" folder="$2"
  shift 2
  tar --create --file "$file" --directory "$folder" --format=ustar --sort=name --owner=0 --group=0 \
    --numeric-owner --mode='u+rwX,go+rX,go-w' --mtime='@0' "$@"
}

run_java() {
  exec "$JAVA" -Xshare:auto -XX:TieredStopAtLevel=1 "-Dmuster.deploy=$muster_deploy" \
    -cp "$muster_deploy/target/test-classes:$muster_deploy/target/muster.jar:$(cat "$muster_deploy/target/test-classpath.txt")" \
    "$@"
}
