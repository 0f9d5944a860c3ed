package io.muster.extender.kube.write;

import java.time.Duration;

/** How long until a write that has failed is tried again: each time twice as long, up to a most. */
record Pause(Duration length, Duration longest) {

  Pause longer() {
    var twice = length.multipliedBy(2);
    return new Pause(twice.compareTo(longest) > 0 ? longest : twice, longest);
  }
}
