/** What a launcher needs: keys, host file, script, and what it is told when workers change. */
package io.muster.controller.kinds.etoperator.launcher;
