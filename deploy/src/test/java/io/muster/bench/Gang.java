package io.muster.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A gang of like members. Immutable.
 *
 * @param gpus each member asks for
 */
record Gang(String name, int members, int gpus) {

  /** One member of it. */
  record Member(Gang gang, int index) {

    String name() {
      return gang.name() + "-" + index;
    }
  }

  List<Member> all() {
    return IntStream.range(0, members).mapToObj(i -> new Member(this, i)).toList();
  }

  /** The gang a pod of this name is a member of. */
  static String of(String podName) {
    return podName.substring(0, podName.lastIndexOf('-'));
  }
}
