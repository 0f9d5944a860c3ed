/** The demo behind {@code deploy/demo}: four acts on a sandbox, each checks what it shows. */
package io.muster.demo;
