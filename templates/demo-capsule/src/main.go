// Command demo-capsule keeps a small list of contacts and prints it.
package main

import "fmt"

// Contact is a person that can be reached by e-mail or by phone.
type Contact struct {
	Name  string
	Email string
	Phone string
}

// String formats the contact as one line.
func (c Contact) String() string {
	return fmt.Sprintf("%s <%s> %s", c.Name, c.Email, c.Phone)
}

// Nothing checks Email and Phone yet: that is what the tasks of this project ask for.
func main() {
	contacts := []Contact{
		{Name: "Sample One", Email: "one@example.com", Phone: "+1 555 010 0001"},
		{Name: "Sample Two", Email: "two@example.com", Phone: "+1 555 010 0002"},
	}
	for _, contact := range contacts {
		fmt.Println(contact)
	}
}
